// EXPECT: triosim: an engine policy must have
// Engine and time model in each other's place.
#include "common.hpp"

void test() {
  study<GoodTimeModel, triosim::engine::Serial, GoodNet, GoodStrategy>();
}
