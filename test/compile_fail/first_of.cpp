// EXPECT: triosim: FirstOf must be given time-model policies
#include "common.hpp"

void test() {
  study<triosim::engine::Serial, triosim::time_model::FirstOf<triosim::time_model::Recorded, GoodNet>, GoodNet,
        GoodStrategy>();
}
