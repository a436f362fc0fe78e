// EXPECT: triosim: an observer must take what its members are called with
#include "common.hpp"

struct ByName {
  void task_started(std::uint32_t, std::string, triosim::Time) {}
  void end(triosim::Time) {}
};

void test() {
  ByName observer;
  using Sim = triosim::Simulator<triosim::engine::Serial, GoodTimeModel, GoodNet, GoodStrategy>;
  static_cast<void>(Sim{triosim::Cluster{triosim::topology::Graph{2}}}.run(triosim::TaskGraph{}, observer));
}
