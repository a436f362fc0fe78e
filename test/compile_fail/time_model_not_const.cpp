// EXPECT: triosim: a time-model policy must be copyable and have a const duration(const Operation&)
#include "common.hpp"

struct Counting {
  std::optional<triosim::Time> duration(const triosim::Operation&) { return ++asked * 1_us; }
  int asked = 0;
};

void test() {
  study<triosim::engine::Serial, Counting, GoodNet, GoodStrategy>();
}
