// EXPECT: triosim: a strategy policy must be copyable and have a type Source and a const lower(
#include "common.hpp"

struct NoSource {
  triosim::TaskGraph lower(const triosim::TaskGraph& graph, const triosim::Cluster&) const { return graph; }
};

void test() {
  study<triosim::engine::Serial, GoodTimeModel, GoodNet, NoSource>();
}
