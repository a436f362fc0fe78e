// EXPECT: triosim: an observer must have at least one of the members that are called
#include "common.hpp"

struct Deaf {
  void task_begun(std::uint32_t, triosim::TaskId, triosim::Time) {}
};

void test() {
  Deaf deaf;
  using Sim = triosim::Simulator<triosim::engine::Serial, GoodTimeModel, GoodNet, GoodStrategy>;
  static_cast<void>(Sim{triosim::Cluster{triosim::topology::Graph{2}}}.run(triosim::TaskGraph{}, deaf));
}
