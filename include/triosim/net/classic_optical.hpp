#pragma once

#include "triosim/cluster.hpp"
#include "triosim/error.hpp"
#include "triosim/net/arrival.hpp"
#include "triosim/net/message.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace triosim::net::classic {

/// The published TrioSim's optical network, number for number: 64 GB/s and 20 ns a hop, whatever the
/// topology says; no contention, no circuit set-up. From the memory it is one hop; between devices as many as on a
/// ring that visits the cells of a mesh.
///
/// The ring is what a depth-first search from the corner finds that tries right, down, left, up: along the first row,
/// down the last column, back along the last row, then row by row upwards. It never has to turn back, so the walk is
/// linear in the number of devices.
///
/// Refused as there: rows x columns other than the number of devices, a single device, one column of more than two rows
/// (the ring does not close).
class Optical {
 public:
  /// One row.
  explicit Optical(const Cluster& cluster) : Optical{cluster, 1, cluster.ranks()} {}
  /// Throws `TopologyError` for a shape that is refused.
  Optical(const Cluster& cluster, std::int64_t rows, std::int64_t columns) {
    const std::int64_t devices = cluster.ranks();
    const auto refuse = [&](const std::string& why) {
      throw TopologyError{"an optical mesh of " + std::to_string(rows) + " x " + std::to_string(columns) +
                          " cells for " + std::to_string(devices) + " devices " + why};
    };
    if (rows < 1 || columns < 1 || rows > devices || columns > devices || rows * columns != devices)
      refuse("needs one cell for each device");
    if (devices == 1) refuse("has no ring: it needs two devices at least");
    if (columns == 1 && rows > 2) refuse("has no ring: its last cell is not beside its first");
    walk(rows, columns);
  }

  template <class Port>
  void send(const Message& message, Port& port) {
    if (message.source == message.destination) {
      port.deliver_at(port.now(), message.id);
      return;
    }
    port.deliver_at(arrival(port.now() + hop * hops(message.source, message.destination), message.bytes / bandwidth),
                    message.id);
  }

  /// How many hops a message takes. Nodes that are not devices are one hop from everywhere.
  std::int64_t hops(topology::NodeId source, topology::NodeId destination) const {
    const std::size_t n = place_.size();
    if (source >= n || destination >= n) return source == destination ? 0 : 1;
    const auto [low, high] = std::minmax(place_[source], place_[destination]);
    return std::min<std::int64_t>(high - low, static_cast<std::int64_t>(n) - (high - low));
  }

 private:
  static constexpr Bandwidth bandwidth{64e9};
  static constexpr Time hop{20'000};

  void walk(std::int64_t rows, std::int64_t columns) {
    place_.assign(static_cast<std::size_t>(rows * columns), -1);
    constexpr std::array<std::pair<int, int>, 4> directions{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
    std::int64_t row = 0, column = 0;
    for (std::int64_t step = 0; step < rows * columns; ++step) {
      place_[static_cast<std::size_t>(row * columns + column)] = step;
      for (const auto& [down, right] : directions) {
        const std::int64_t r = row + down, c = column + right;
        if (r < 0 || c < 0 || r >= rows || c >= columns || place_[static_cast<std::size_t>(r * columns + c)] >= 0)
          continue;
        row = r;
        column = c;
        break;
      }
    }
  }

  std::vector<std::int64_t> place_; // of each device on the ring
};

} // namespace triosim::net::classic
