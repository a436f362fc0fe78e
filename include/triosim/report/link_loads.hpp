#pragma once

#include "triosim/net/message.hpp"
#include "triosim/topology/graph.hpp"
#include "triosim/topology/routes.hpp"
#include "triosim/topology/routing.hpp"
#include "triosim/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace triosim::report {

/// An observer that adds up what each link carries, along the shortest routes: those of every network that ships but
/// for the optical one and SpreadFlowNetwork. What a network does in closed form has no messages and is not seen.
class LinkLoads {
 public:
  struct Load {
    topology::LinkId link = 0;
    Bytes bytes;
    /// Of what the link could have carried in the whole run.
    double utilisation = 0;
  };

  explicit LinkLoads(topology::Graph graph) : routes_{std::move(graph)}, bytes_(routes_.graph().links().size(), 0) {}

  void message_sent(const net::Message& message, Time) {
    if (message.source == message.destination) return;
    for (const topology::LinkId link : routes_.links(routes_.find(message.source, message.destination)))
      bytes_[link] += message.bytes.count();
  }
  void end(Time total) { total_ = total; }

  const topology::Graph& graph() const noexcept { return routes_.graph(); }
  Bytes bytes(topology::LinkId link) const { return Bytes{bytes_[link]}; }
  double utilisation(topology::LinkId link) const {
    const double most = graph().link(link).bandwidth.bytes_per_second() * total_.seconds();
    return most > 0 ? static_cast<double>(bytes_[link]) / most : 0;
  }

  /// Those that were used most of the time, the first of equals by their number; unused ones are left out.
  std::vector<Load> busiest(std::size_t count) const {
    std::vector<Load> loads;
    for (topology::LinkId link = 0; link < bytes_.size(); ++link)
      if (bytes_[link] != 0) loads.push_back({link, Bytes{bytes_[link]}, utilisation(link)});
    std::stable_sort(loads.begin(), loads.end(),
                     [](const Load& a, const Load& b) { return a.utilisation > b.utilisation; });
    if (loads.size() > count) loads.resize(count);
    return loads;
  }

 private:
  topology::Routes<topology::ShortestHops> routes_;
  std::vector<std::uint64_t> bytes_;
  Time total_;
};

} // namespace triosim::report
