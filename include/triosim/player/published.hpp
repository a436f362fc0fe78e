#pragma once

#include "triosim/cluster.hpp"
#include "triosim/concepts.hpp"
#include "triosim/player/player_for.hpp"
#include "triosim/player/published/after_step.hpp"
#include "triosim/player/published/alone.hpp"
#include "triosim/player/published/barrier.hpp"
#include "triosim/player/published/devices.hpp"
#include "triosim/player/published/overlapped.hpp"
#include "triosim/player/published/pipeline.hpp"
#include "triosim/strategy/classic/rules.hpp"
#include "triosim/task_graph.hpp"
#include "triosim/units.hpp"

#include <type_traits>
#include <utility>
#include <vector>

namespace triosim {

namespace player {

/// The published rules as a player. Memory is theirs (player/published/residency.hpp), so no other policy goes with
/// them. Works with every engine and network; the last digits, and the order of what happens at one instant, come out
/// as in the published program with engine::Published and net::classic::ExactPacketSharing.
template <template <class> class Coupling>
struct PublishedPlayer {
  static constexpr const char* name = "classic";
  using Duration = double;

  template <class Engine, class Net, class Memory, class Observing>
  class type : public published::Devices<Engine, Net, Observing, Coupling> {
    static_assert(!Memory::keeps_account, "triosim: the classic rules bring their own memory; use memory::Unbounded "
                                          "and set the capacity of the cluster; see triosim/player/published.hpp");

   public:
    type(const TaskGraph& graph, const Cluster& cluster, const std::vector<std::vector<double>>& durations, Net net,
         Memory, Observing observing)
        : published::Devices<Engine, Net, Observing, Coupling>{graph, cluster, durations, std::move(net),
                                                               std::move(observing)} {}
  };
};

} // namespace player

template <>
struct PlayerFor<rules::Classic> : player::PublishedPlayer<player::published::Alone> {};
template <>
struct PlayerFor<rules::classic::Alone> : player::PublishedPlayer<player::published::Alone> {};
template <>
struct PlayerFor<rules::classic::AfterStep> : player::PublishedPlayer<player::published::AfterStep> {};
template <>
struct PlayerFor<rules::classic::Overlapped> : player::PublishedPlayer<player::published::Overlapped> {};
template <>
struct PlayerFor<rules::classic::Barrier> : player::PublishedPlayer<player::published::Barrier> {};
template <>
struct PlayerFor<rules::classic::Pipeline> : player::PublishedPlayer<player::published::Pipeline> {};

} // namespace triosim
