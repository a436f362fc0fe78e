#pragma once

#include "triosim/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The rules of ASTRA-sim's analytical backend: collectives as streams of chunks that go through queues, dimension by
/// dimension (Rashidi et al., "ASTRA-SIM: Enabling SW/HW Co-Design Exploration for Distributed DL Training Platforms",
/// ISPASS 2020; Won et al., "ASTRA-sim2.0", ISPASS 2023). Times are whole nanoseconds.
namespace triosim::player::streams {

/// How a collective is made in one dimension.
struct Implementation {
  enum class Kind : std::uint8_t { Ring, Direct, HalvingDoubling, DoubleBinaryTree };

  Kind kind = Kind::Ring;
  bool flat = false;        ///< one dimension of all ranks ("oneRing")
  std::uint32_t window = 0; ///< of Direct: messages on their way at once; 0: as many as there are
};

/// Reads "ring", "oneRing", "direct4", ... Throws `ConfigError`.
inline Implementation parse_implementation(std::string_view text) {
  Implementation found;
  std::string_view name = text;
  if (name.starts_with("one") && name.size() > 3) {
    found.flat = true;
    name.remove_prefix(3);
  }
  const auto is = [&](std::string_view lower) {
    // "oneRing" has a capital where "ring" has none.
    return name.size() >= lower.size() && (name[0] == lower[0] || name[0] == lower[0] - 'a' + 'A') &&
           name.substr(1, lower.size() - 1) == lower.substr(1);
  };
  std::string_view rest;
  if (is("ring")) {
    rest = name.substr(4);
  } else if (is("direct")) {
    found.kind = Implementation::Kind::Direct;
    rest = name.substr(6);
    std::uint32_t window = 0;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && window < 100'000'000) {
      window = window * 10 + static_cast<std::uint32_t>(rest[0] - '0');
      rest.remove_prefix(1);
    }
    found.window = window;
  } else if (is("halvingDoubling")) {
    found.kind = Implementation::Kind::HalvingDoubling;
    rest = name.substr(15);
  } else if (is("doubleBinaryTree")) {
    found.kind = Implementation::Kind::DoubleBinaryTree;
    rest = name.substr(16);
  } else {
    rest = "?";
  }
  if (!rest.empty())
    throw ConfigError{"implementation", std::string{text},
                      "ring, direct, direct followed by a window, halvingDoubling or doubleBinaryTree, or one of these "
                      "after \"one\": oneRing, oneDirect, oneHalvingDoubling"};
  return found;
}

enum class Scheduling : std::uint8_t { Lifo, Fifo, Explicit };

/// What a system file says.
struct Settings {
  Scheduling scheduling = Scheduling::Lifo;
  /// All-reduce over dimensions: reduce-scatter inwards, all-gather outwards, rather than an all-reduce in each.
  bool local_bandwidth_aware = false;
  std::uint32_t active_chunks = 1; ///< per dimension
  std::uint32_t splits = 1;        ///< chunks that a collective is cut into
  std::int64_t endpoint_delay_ns = 10;
  double local_memory_gbps = 0; ///< 1e9 bytes a second; 0: not given, reductions take no time
  bool roofline = false;
  double peak_tflops = 0;
  bool replay_only = false; ///< every node takes what was recorded
  /// Of all-reduce, all-gather, reduce-scatter, all-to-all; an entry for each dimension.
  std::array<std::vector<Implementation>, 4> implementations;
  std::uint32_t queues_per_dimension = 1;
};

/// One dimension of the network.
struct Dimension {
  enum class Shape : std::uint8_t { Ring, Switch, FullyConnected };

  Shape shape = Shape::Ring;
  std::uint32_t size = 1;
  double bytes_per_ns = 1; ///< of a link, one way
  double latency_ns = 0;   ///< of a link
};

/// Memory beyond the device, for load and store nodes.
struct RemoteMemory {
  enum class Kind : std::uint8_t { None, PerRank, PerNode, Pool };

  Kind kind = Kind::None;
  double latency_ns = 0;
  double bytes_per_ns = 1;
  std::uint32_t ranks_per_node = 1;
};

} // namespace triosim::player::streams
