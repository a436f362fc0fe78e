// EXPECT: compiles
// The same study with nothing wrong: what the other cases fail for is what they have wrong.
#include "common.hpp"

void test() {
  study<triosim::engine::Serial, GoodTimeModel, GoodNet, GoodStrategy>();
}
