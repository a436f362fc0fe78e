// EXPECT: triosim: a network policy must be copyable and have send(const net::Message&, Port&)
#include "common.hpp"

struct NoPort {
  explicit NoPort(const triosim::Cluster&) {}
  void send(const triosim::net::Message&) {}
};

void test() {
  study<triosim::engine::Serial, GoodTimeModel, NoPort, GoodStrategy>();
}
