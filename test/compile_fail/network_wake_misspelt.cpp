// EXPECT: triosim: a network policy must have on_wake as on_wake(std::uint32_t token, Port&)
#include "common.hpp"

struct Alarm : GoodNet {
  using GoodNet::GoodNet;
  template <class Port>
  void on_wake(Port&, std::uint32_t) {}
};

void test() {
  study<triosim::engine::Serial, GoodTimeModel, Alarm, GoodStrategy>();
}
