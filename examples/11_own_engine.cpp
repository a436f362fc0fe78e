// An engine of one's own: the simplest that obeys the laws, a sorted map. Slow, and the report is the same.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>
#include <map>

namespace {

using namespace triosim;
using namespace triosim::literals;

class SortedMap {
 public:
  Time now() const { return now_; }
  std::uint64_t events() const { return events_; }
  void schedule(Time at, engine::Event event) { pending_.emplace(at, event); } // equal keys keep their order
  template <class Handler>
  void run(Handler& handler) {
    for (;;) {
      while (!pending_.empty() && pending_.begin()->first == now_) {
        const engine::Event event = pending_.begin()->second;
        pending_.erase(pending_.begin());
        ++events_;
        handler.handle(event);
      }
      handler.instant_end();
      if (pending_.empty()) return;
      now_ = pending_.begin()->first;
    }
  }

 private:
  std::multimap<Time, engine::Event> pending_;
  Time now_;
  std::uint64_t events_ = 0;
};

static_assert(EnginePolicy<SortedMap>);

} // namespace

int main() {
  using Ours = Simulator<SortedMap, time_model::Recorded, net::FlowNetwork, strategy::DataParallel>;
  using Shipped = Simulator<engine::Serial, time_model::Recorded, net::FlowNetwork, strategy::DataParallel>;
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::ring(4, {.bandwidth = 65_GBps})};
  const Report ours = Ours{cluster}.run(trace), shipped = Shipped{cluster}.run(trace);
  std::printf("%.6f ms and %.6f ms\n", ours.total.seconds() * 1e3, shipped.total.seconds() * 1e3);
}
