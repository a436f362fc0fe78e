#pragma once

#include "triosim/player/published/alone.hpp"
#include "triosim/player/published/exchange.hpp"
#include "triosim/player/published/ring.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace triosim::player::published {

/// The published standard data parallelism: the ranks play their layers on their own; when nothing is left
/// to happen, the all-reduces follow one after the other, with empty memories on a network without traffic. Nothing
/// overlaps, and the optimizer has run before the gradients are reduced.
template <class Devices>
class AfterStep : public Alone<Devices> {
  using Base = Alone<Devices>;
  using Base::devices_;

 public:
  explicit AfterStep(Devices& devices) : Base{devices}, exchanges_{devices.graph(), devices.table(0)}, ring_{devices} {}

  bool more() {
    if (in_exchange_ || devices_.layers_left() > 0) return false;
    in_exchange_ = true;
    devices_.end_phase("execution");
    if (devices_.ranks() < 2) return false;
    devices_.start_anew();
    devices_.call_coupling(0);
    return true;
  }

  void event(std::uint32_t) {
    if (ring_.quiet() && next_ < exchanges_.size()) {
      const auto& exchange = exchanges_[next_++];
      ring_.cut(exchange.bytes, exchange.name);
      ring_.begin(exchange.task, devices_.table(0).outputs(exchange.layer));
    }
    ring_.advance();
    if (next_ == exchanges_.size() && ring_.quiet() && !ended_) {
      ended_ = true;
      devices_.end_phase("all-reduce");
    }
  }

  template <class Message>
  void arrived(const Message& message) {
    ring_.arrived(devices_.rank_of(message.to), message.about);
    devices_.call_coupling(0);
  }

  template <class Report>
  void unfinished(Report&& report) const {
    ring_.unfinished(report);
  }

 private:
  Exchanges exchanges_;
  Ring<Devices> ring_;
  std::size_t next_ = 0;
  bool in_exchange_ = false;
  bool ended_ = false;
};

} // namespace triosim::player::published
