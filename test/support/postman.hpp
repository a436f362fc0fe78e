#pragma once

#include <triosim/net/play_messages.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace triosim::test {

struct Letter {
  Time at;
  topology::NodeId from;
  topology::NodeId to;
  Bytes bytes;
};

/// When each letter arrives on a copy of `net`; `Time::infinity()` for those that never do.
template <class Net>
std::vector<Time> post(Net net, std::span<const Letter> letters) {
  net::Timetable table;
  for (const Letter& letter : letters)
    table.add(letter.at);
  return net::play_messages(net, std::move(table), [&](std::uint32_t i, auto& port) {
    net.send(net::Message{letters[i].from, letters[i].to, letters[i].bytes, i}, port);
  });
}

template <class Net>
Time post_one(const Net& net, topology::NodeId from, topology::NodeId to, Bytes bytes) {
  const Letter letter{Time{}, from, to, bytes};
  return post(net, std::span{&letter, 1})[0];
}

} // namespace triosim::test
