#pragma once

#include "triosim/operation.hpp"
#include "triosim/player/published/tables.hpp"
#include "triosim/task_graph.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace triosim::player::published {

/// Every rank plays its layers on its own. What the other couplings have in common is here too.
template <class Devices>
class Alone {
 public:
  explicit Alone(Devices& devices) : devices_{devices} {}

  static std::uint64_t touched(std::uint64_t bytes, const Operation&) { return bytes; }

  // The memory that is not a device also thinks that it is number 0, hence one step more.
  void begin() {
    for (Lane lane = 0; lane < devices_.lanes(); ++lane)
      devices_.call_step(lane);
    devices_.call_step(0);
  }
  std::uint32_t layers(Lane lane) const { return devices_.table(devices_.rank_of(lane)).size(); }
  bool look(Lane, std::uint32_t) { return false; }
  bool may_start(Lane, std::uint32_t) const { return true; }
  void started(Lane, std::uint32_t) {}
  void completed(Lane lane, std::uint32_t) { devices_.call_step(lane); }
  template <class Message>
  void arrived(const Message&) {}
  void event(std::uint32_t) {}
  bool more() { return false; }
  template <class Report>
  void unfinished(Report&&) const {}
  std::string reason(Lane) const { return "waits for its turn"; }

  /// What an eviction must not touch: the tensors of the layer to be computed next. After the last layer, nothing is
  /// dropped at all.
  std::optional<std::span<const Use>> kept(Lane lane) const {
    const Table& table = devices_.table(devices_.rank_of(lane));
    const std::uint32_t layer = devices_.computing(lane);
    if (layer >= table.size()) return std::nullopt;
    return table.touches(layer);
  }

 protected:
  Devices& devices_;
};

} // namespace triosim::player::published
