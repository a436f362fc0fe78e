#pragma once

#include "triosim/player/published/alone.hpp"
#include "triosim/player/published/exchange.hpp"
#include "triosim/player/published/ring.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace triosim::player::published {

/// The published distributed data parallelism: when rank 0 *starts* a layer that an all-reduce depends on,
/// that is queued; the all-reduces run one after the other, for all ranks together, beside the layers. Nobody waits
/// for them. A chunk on its way to a rank keeps it from fetching, and its arrival does not make the rank try again: a
/// rank that has nothing else to wake it sleeps for ever.
template <class Devices>
class Overlapped : public Alone<Devices> {
  using Base = Alone<Devices>;
  using Base::devices_;

 public:
  explicit Overlapped(Devices& devices)
      : Base{devices}, exchanges_{devices.graph(), devices.table(0)}, ring_{devices} {}

  void started(Lane lane, std::uint32_t layer) {
    if (lane != 0) return;
    const auto* exchange = exchanges_.of_layer(layer);
    if (exchange == nullptr || devices_.ranks() < 2) return;
    queue_.push_back(exchange);
    devices_.call_coupling(0);
  }

  void event(std::uint32_t) {
    if (ring_.quiet() && next_ < queue_.size()) {
      const auto& exchange = *queue_[next_];
      ring_.cut(exchange.bytes, exchange.name);
      // To make room, the number of the all-reduce is taken for that of a layer.
      const Table& table = devices_.table(0);
      ring_.begin(exchange.task,
                  next_ < table.size() ? table.outputs(static_cast<std::uint32_t>(next_)) : std::span<const Use>{});
      ++next_;
    }
    ring_.advance();
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
  std::vector<const Exchanges::Exchange*> queue_;
  std::size_t next_ = 0;
};

} // namespace triosim::player::published
