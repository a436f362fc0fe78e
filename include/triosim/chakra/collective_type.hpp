#pragma once

#include "triosim/chakra/model.hpp"
#include "triosim/collective/call.hpp"

#include <cstdint>
#include <optional>

namespace triosim::chakra {

/// A collective of the library by the schema's number.
constexpr CollectiveType collective_type(triosim::CollectiveType type) noexcept {
  switch (type) {
  case triosim::CollectiveType::AllReduce:
    return CollectiveType::all_reduce;
  case triosim::CollectiveType::AllGather:
    return CollectiveType::all_gather;
  case triosim::CollectiveType::ReduceScatter:
    return CollectiveType::reduce_scatter;
  case triosim::CollectiveType::AllToAll:
    return CollectiveType::all_to_all;
  case triosim::CollectiveType::Broadcast:
    return CollectiveType::broadcast;
  case triosim::CollectiveType::Reduce:
    return CollectiveType::reduce;
  case triosim::CollectiveType::Gather:
    return CollectiveType::gather;
  case triosim::CollectiveType::Scatter:
    return CollectiveType::scatter;
  case triosim::CollectiveType::Barrier:
    break;
  }
  return CollectiveType::barrier;
}

/// The other way round; a block-wise reduce-scatter is a reduce-scatter.
constexpr triosim::CollectiveType collective_type(CollectiveType type) noexcept {
  switch (type) {
  case CollectiveType::all_reduce:
    return triosim::CollectiveType::AllReduce;
  case CollectiveType::reduce:
    return triosim::CollectiveType::Reduce;
  case CollectiveType::all_gather:
    return triosim::CollectiveType::AllGather;
  case CollectiveType::gather:
    return triosim::CollectiveType::Gather;
  case CollectiveType::scatter:
    return triosim::CollectiveType::Scatter;
  case CollectiveType::broadcast:
    return triosim::CollectiveType::Broadcast;
  case CollectiveType::all_to_all:
    return triosim::CollectiveType::AllToAll;
  case CollectiveType::reduce_scatter:
  case CollectiveType::reduce_scatter_block:
    return triosim::CollectiveType::ReduceScatter;
  case CollectiveType::barrier:
    break;
  }
  return triosim::CollectiveType::Barrier;
}

/// Of the number in a file; nothing where the schema has no such number.
constexpr std::optional<triosim::CollectiveType> collective_type_from_number(std::int64_t number) noexcept {
  if (number < 0 || number >= collective_type_count) return std::nullopt;
  return collective_type(static_cast<CollectiveType>(number));
}

} // namespace triosim::chakra
