// EXPECT: triosim: a memory policy must be copyable and have a constant keeps_account and, where it is true, begin
#include "common.hpp"

struct Forgetful {
  static constexpr bool keeps_account = true;
  void begin(const triosim::TaskGraph&, const triosim::Cluster&) {}
};

void test() {
  using Sim = triosim::Simulator<triosim::engine::Serial, GoodTimeModel, GoodNet, GoodStrategy, Forgetful>;
  static_cast<void>(Sim{triosim::Cluster{triosim::topology::Graph{2}}}.run(triosim::TaskGraph{}));
}
