#pragma once

#include "triosim/cluster.hpp"

#include <utility>

namespace triosim::net {

/// A network whose collectives become messages by another algorithm than collective::Standard.
///
///     using Net = net::WithCollectives<net::FlowNetwork, collective::HalvingDoubling>;
template <class Net, class Algorithm>
class WithCollectives : public Net {
 public:
  using Collectives = Algorithm;

  explicit WithCollectives(const Cluster& cluster, Algorithm algorithm = {})
      : Net{cluster}, algorithm_{std::move(algorithm)} {}
  explicit WithCollectives(Net net, Algorithm algorithm = {}) : Net{std::move(net)}, algorithm_{std::move(algorithm)} {}

  const Algorithm& collectives() const noexcept { return algorithm_; }

 private:
  Algorithm algorithm_;
};

} // namespace triosim::net
