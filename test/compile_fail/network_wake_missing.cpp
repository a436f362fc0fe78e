// EXPECT: triosim: a network policy must have on_wake(token, port) to call port.wake_at
#include "common.hpp"

struct Alarm : GoodNet {
  using GoodNet::GoodNet;
  template <class Port>
  void send(const triosim::net::Message&, Port& port) {
    port.wake_at(port.now(), 1);
  }
};

void test() {
  study<triosim::engine::Serial, GoodTimeModel, Alarm, GoodStrategy>();
}
