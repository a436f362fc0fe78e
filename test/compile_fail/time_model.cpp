// EXPECT: triosim: a time-model policy must be copyable and have a const duration(const Operation&)
#include "common.hpp"

struct Seconds {
  double duration(const triosim::Operation&) const { return 1e-6; }
};

void test() {
  study<triosim::engine::Serial, Seconds, GoodNet, GoodStrategy>();
}
