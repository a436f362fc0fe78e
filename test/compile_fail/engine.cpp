// EXPECT: triosim: an engine policy must have now(), events(), schedule(Time, Event) and run(handler)
#include "common.hpp"

struct NoRun {
  triosim::Time now() const { return {}; }
  unsigned long events() const { return 0; }
  void schedule(triosim::Time, triosim::engine::Event) {}
};

void test() {
  study<NoRun, GoodTimeModel, GoodNet, GoodStrategy>();
}
