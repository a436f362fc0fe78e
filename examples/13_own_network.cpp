// A network of one's own: one bus that all share, a message at a time.
#include <triosim/triosim.hpp>

#include <algorithm>
#include <cstdio>

namespace {

using namespace triosim;
using namespace triosim::literals;

class Bus {
 public:
  explicit Bus(Bandwidth bandwidth) : bandwidth_{bandwidth} {}
  void send(const net::Message& message, auto& port) {
    free_ = std::max(free_, port.now()) + message.bytes / bandwidth_;
    port.deliver_at(free_, message.id);
  }

 private:
  Bandwidth bandwidth_;
  Time free_;
};

static_assert(NetworkPolicy<Bus>);

template <class Net>
double milliseconds(const Trace& trace, const Cluster& cluster, const Net& net) {
  using Sim = Simulator<engine::Serial, time_model::Recorded, Net, strategy::DataParallel>;
  return Sim{cluster, {}, {}, net}.run(trace).total.seconds() * 1e3;
}

} // namespace

int main() {
  const Trace trace = trace::read_csv("sample_trace/vgg13");
  const Cluster cluster{topology::ring(4, {.bandwidth = 65_GBps})};
  std::printf("private links  %8.3f ms\n", milliseconds(trace, cluster, net::FlowNetwork{cluster}));
  std::printf("one bus        %8.3f ms\n", milliseconds(trace, cluster, Bus{65_GBps}));
}
