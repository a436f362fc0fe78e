#pragma once

// What the cases share: policies that are right, one for each slot.
#include <triosim/engine/serial.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/first_of.hpp>
#include <triosim/time_model/recorded.hpp>

#include <cstdint>
#include <optional>
#include <string>

using namespace triosim::literals;

struct GoodTimeModel {
  std::optional<triosim::Time> duration(const triosim::Operation&) const { return 1_us; }
};

struct GoodNet {
  GoodNet() = default;
  explicit GoodNet(const triosim::Cluster&) {}
  template <class Port>
  void send(const triosim::net::Message& message, Port& port) {
    port.deliver(message.id);
  }
};

struct GoodStrategy {
  using Source = triosim::TaskGraph;
  triosim::TaskGraph lower(const Source& graph, const triosim::Cluster&) const { return graph; }
};

// A study as a user writes it, with the policies under test.
template <class Engine, class TimeModel, class Net, class Strategy, class Source = triosim::TaskGraph>
void study() {
  using Sim = triosim::Simulator<Engine, TimeModel, Net, Strategy>;
  const Sim sim{triosim::Cluster{triosim::topology::Graph{2}}};
  static_cast<void>(sim.run(Source{}));
}
