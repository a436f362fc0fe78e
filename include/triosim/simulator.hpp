#pragma once

#include "triosim/cluster.hpp"
#include "triosim/concepts.hpp"
#include "triosim/error.hpp"
#include "triosim/memory/unbounded.hpp"
#include "triosim/player/data_flow.hpp"
#include "triosim/player/player_for.hpp"
#include "triosim/report/observers.hpp"
#include "triosim/report/report.hpp"
#include "triosim/task_graph.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace triosim {

namespace detail {

// A member of the right name that cannot be called would be passed over, and what it was to do left undone.
template <class Net>
concept OptionalsCallable =
    (!(
         requires { &Net::on_wake; } || requires { &Net::template on_wake<archetypes::Port>; }) ||
     requires(Net net, archetypes::Port port) { net.on_wake(0u, port); }) &&
    (!(
         requires { &Net::instant_end; } || requires { &Net::template instant_end<archetypes::Port>; }) ||
     requires(Net net, archetypes::Port port) { net.instant_end(port); });

template <class Strategy>
struct SourceOf {
  // Stands in where the strategy is none, which is said elsewhere.
  struct type {
    template <class Any>
    type(const Any&);
  };
};
template <class Strategy>
requires requires {
  typename Strategy::Source;
}
struct SourceOf<Strategy> {
  using type = typename Strategy::Source;
};

template <class Strategy>
struct RulesOf {
  using type = rules::Physical;
};
template <class Strategy>
requires requires {
  typename Strategy::Rules;
}
struct RulesOf<Strategy> {
  using type = typename Strategy::Rules;
};

} // namespace detail

template <>
struct PlayerFor<rules::Physical> {
  static constexpr const char* name = "physical";
  using Duration = Time;
  template <class Engine, class Net, class Memory, class Observing>
  using type = player::DataFlow<Engine, Net, Memory, Observing>;
};

/// A simulator that the compiler has specialised: it lowers a source by the strategy and plays the tasks. See
/// concepts.hpp for what each policy must do.
///
///     using Sim = triosim::Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::DataParallel>;
///     Report report = Sim{cluster}.run(trace);
template <class Engine, class TimeModel, class Net, class Strategy, class Memory = memory::Unbounded>
class Simulator {
  static_assert(EnginePolicy<Engine>, "triosim: an engine policy must have now(), events(), schedule(Time, Event) and "
                                      "run(handler) and be default-constructible; see triosim/concepts.hpp");
  static_assert(TimeModelPolicy<TimeModel>, "triosim: a time-model policy must be copyable and have a const "
                                            "duration(const Operation&) that gives std::optional<Time>; see "
                                            "triosim/concepts.hpp");
  static_assert(NetworkPolicy<Net>, "triosim: a network policy must be copyable and have send(const net::Message&, "
                                    "Port&); see triosim/concepts.hpp");
  static_assert(StrategyPolicy<Strategy>, "triosim: a strategy policy must be copyable and have a type Source and a "
                                          "const lower(const Source&, const Cluster&) that gives a TaskGraph; see "
                                          "triosim/concepts.hpp");
  static_assert(detail::OptionalsCallable<Net>,
                "triosim: a network policy must have on_wake as on_wake(std::uint32_t "
                "token, Port&) and instant_end as instant_end(Port&) if it has them; see "
                "triosim/concepts.hpp");
  static_assert(MemoryPolicy<Memory>,
                "triosim: a memory policy must be copyable and have a constant keeps_account and, "
                "where it is true, begin, acquire, release, arrived, in_use and peak; see "
                "triosim/concepts.hpp");
  // With a policy that is none the members below compile to nothing, so that the sentence above is all there is to
  // read.
  static constexpr bool complete = EnginePolicy<Engine> && TimeModelPolicy<TimeModel> && NetworkPolicy<Net> &&
                                   StrategyPolicy<Strategy> && MemoryPolicy<Memory>;

 public:
  using Source = typename detail::SourceOf<Strategy>::type;
  using Rules = typename detail::RulesOf<Strategy>::type;

  /// With a network that can be made from the cluster alone.
  explicit Simulator(Cluster cluster, Strategy strategy = {},
                     TimeModel time_model = {}) requires std::constructible_from<Net, const Cluster&>
      : net_{std::as_const(cluster)},
        cluster_{std::move(cluster)},
        strategy_{std::move(strategy)},
        time_model_{std::move(time_model)} {}

  Simulator(Cluster cluster, Strategy strategy, TimeModel time_model, Net net, Memory memory = {})
      : net_{std::move(net)}, cluster_{std::move(cluster)}, strategy_{std::move(strategy)},
        time_model_{std::move(time_model)}, memory_{std::move(memory)} {}

  /// What `run` would play. Throws `Error` where the source does not fit the machine or the strategy.
  TaskGraph lower(const Source& source) const {
    if constexpr (complete)
      return strategy_.lower(source, cluster_);
    else
      return {};
  }

  /// Throws what `lower` and `validate` throw; `Deadlock` where the run cannot finish; `OutOfMemory` where the memory
  /// policy says so. Runs are independent of each other: the same input gives the same report.
  template <class... Observer>
  Report run(const Source& source, Observer&... observers) const {
    return play(lower(source), observers...);
  }

  /// Plays a graph as it is, for those who have one.
  template <class... Observer>
  Report play(const TaskGraph& graph, Observer&... observers) const {
    Report report;
    if constexpr (complete) {
      validate(graph);
      using Player = PlayerFor<Rules>;
      typename Player::template type<Engine, Net, Memory, Observers<Observer...>> player{
          graph, cluster_, durations(graph), net_, memory_, Observers<Observer...>{observers...}};
      report = player.run();
      report.rules = Player::name;
    }
    return report;
  }

  /// Throws `ConfigError` for a graph that has not as many ranks as the cluster, or is not sound in itself.
  void validate(const TaskGraph& graph) const {
    if (graph.ranks() != cluster_.ranks())
      throw ConfigError{"ranks", std::to_string(graph.ranks()),
                        std::to_string(cluster_.ranks()) + ", the devices of the cluster"};
    graph.validate();
  }

  const Cluster& cluster() const noexcept { return cluster_; }

 private:
  using Duration = typename PlayerFor<Rules>::Duration;

  std::vector<std::vector<Duration>> durations(const TaskGraph& graph) const {
    std::vector<std::vector<Duration>> durations;
    for (const Program& program : graph.programs()) {
      auto& times = durations.emplace_back(program.size());
      for (TaskId task = 0; task < program.size(); ++task) {
        if (program.kind(task) != TaskKind::Compute) continue;
        const std::optional<Time> time = time_model_.duration(program.operation(task));
        const auto name = [&] { return "time of " + std::string{program.name(task)}; };
        if (!time) throw ConfigError{name(), "nothing", "a time model that knows this operation"};
        if (*time < Time{}) throw ConfigError{name(), std::to_string(time->seconds()) + " s", "zero or more"};
        if constexpr (std::same_as<Duration, Time>)
          times[task] = *time;
        else if constexpr (requires(const Operation& operation) { time_model_.seconds(operation); })
          times[task] = time_model_.seconds(program.operation(task));
        else
          times[task] = time->seconds();
      }
    }
    return durations;
  }

  Net net_;
  Cluster cluster_;
  Strategy strategy_;
  TimeModel time_model_;
  [[no_unique_address]] Memory memory_{};
};

} // namespace triosim
