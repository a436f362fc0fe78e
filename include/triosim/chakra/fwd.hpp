#pragma once

#include <cstdint>

namespace triosim::chakra {

enum class CollectiveType : std::uint8_t;
enum class Format : std::uint8_t;
enum class NodeType : std::uint8_t;
enum class ValueType : std::uint8_t;

struct Attribute;
struct CommGroup;
struct Facts;
struct HeaderView;
struct NodeView;
struct Operation;

class FileTemplate;
class Losses;
class NodeCursor;
class OperationEncoding;
class RankValue;
class Trace;
class TraceBuilder;

} // namespace triosim::chakra
