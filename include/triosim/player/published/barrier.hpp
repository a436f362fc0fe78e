#pragma once

#include "triosim/operation.hpp"
#include "triosim/player/published/alone.hpp"
#include "triosim/player/published/exchange.hpp"
#include "triosim/player/published/ring.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

namespace triosim::player::published {

/// The published tensor parallelism: after a layer with an all-reduce, all ranks wait for it. How far the
/// ranks have come is one variable for all of them, which whoever completes a layer overwrites, and which moves on when
/// the last step of the all-reduce has been sent: so the next layer starts with the first arrival of that step, or
/// with a fetch that happens to arrive before. With one rank nobody moves it on.
template <class Devices>
class Barrier : public Alone<Devices> {
  using Base = Alone<Devices>;
  using Base::devices_;

 public:
  explicit Barrier(Devices& devices) : Base{devices}, exchanges_{devices.graph(), devices.table(0)}, ring_{devices} {}

  /// A split layer touches an equal part of everything, whatever it is.
  static std::uint64_t touched(std::uint64_t bytes, const Operation& operation) {
    if (operation.share == 1) return bytes;
    const double parts = std::round(1 / operation.share);
    return static_cast<std::uint64_t>(static_cast<double>(bytes) / parts);
  }

  bool may_start(Lane, std::uint32_t layer) const { return progress_ >= layer; }

  void completed(Lane lane, std::uint32_t layer) {
    progress_ = layer;
    const auto* exchange = exchanges_.of_layer(layer);
    if (exchange == nullptr) {
      progress_ = layer + 1;
      devices_.call_step(lane);
      return;
    }
    if (!all_started_last(layer)) return;
    if (devices_.ranks() < 2) {
      devices_.call_step(lane);
      return;
    }
    // Each rank does this as it completes the layer; the sizes are the same each time. Without outputs, the sizes of
    // the all-reduce before stay.
    if (!exchange->empty) ring_.cut(exchange->bytes, exchange->name);
    ring_.begin(exchange->task, devices_.table(0).outputs(layer));
    reduced_ = layer;
    devices_.call_coupling(0);
  }

  void event(std::uint32_t) {
    if (ring_.advance()) progress_ = reduced_ + 1;
  }

  template <class Message>
  void arrived(const Message& message) {
    ring_.arrived(devices_.rank_of(message.to), message.about);
    devices_.call_coupling(0);
    if (!ring_.idle()) return;
    for (Lane lane = 0; lane < devices_.lanes(); ++lane)
      devices_.call_step(lane);
    devices_.call_step(0);
  }

  template <class Report>
  void unfinished(Report&& report) const {
    ring_.unfinished(report);
  }
  std::string reason(Lane lane) const {
    if (progress_ < devices_.computing(lane)) return "waits for the other ranks to come to its layer";
    return Base::reason(lane);
  }

 private:
  // Whether the layer that each rank started last is this one.
  bool all_started_last(std::uint32_t layer) const {
    for (Lane lane = 0; lane < devices_.lanes(); ++lane)
      if (devices_.computing(lane) != layer + 1) return false;
    return true;
  }

  Exchanges exchanges_;
  Ring<Devices> ring_;
  std::uint32_t progress_ = 0;
  std::uint32_t reduced_ = 0;
};

} // namespace triosim::player::published
