// EXPECT: triosim::Bytes
// Bytes and times do not add up.
#include "common.hpp"

auto test() {
  return 3_KB + 5_us;
}
