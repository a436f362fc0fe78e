#pragma once

#include "triosim/chakra/facts.hpp"
#include "triosim/chakra/lists.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/packed_bytes.hpp"
#include "triosim/chakra/text_pool.hpp"

#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::chakra {

/// Names, texts and attributes of the nodes of a trace, packed. What many nodes have in common (which attributes, of
/// which types, in which order) is their *shape*, kept once; a node has the number of its shape and the place of its
/// values in one array of bytes. A text with an '@' is kept in two parts, as thousands of names share what stands
/// before it and thousands share what follows.
class AttributeStore {
 public:
  /// A text in two parts.
  struct Text {
    TextPool::Ref head = 0;
    TextPool::Ref tail = 0;
    bool operator==(const Text&) const = default;
  };
  /// Where the attributes of a node are.
  struct Place {
    std::uint64_t values = 0;
    std::uint32_t shape = 0;
  };

  // ---- writing ---------------------------------------------------------------------------------------------------
  Text intern(std::string_view text) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos || at == 0) return {pool_.intern(text), 0};
    const std::string_view head = text.substr(0, at);
    // A node's own name and its result share the head.
    if (last_head_ == 0 || !pool_.holds(last_head_, head)) last_head_ = pool_.intern(head);
    return {last_head_, pool_.intern(text.substr(at))};
  }

  Place add(std::span<const Attribute> attributes, const std::optional<IoInfo>& inputs,
            const std::optional<IoInfo>& outputs) {
    const std::uint64_t place = values_.size();
    building_.clear();
    for (const Attribute& attribute : attributes) {
      const Name name = intern_name(attribute.name);
      building_.push_back({attribute.type, put_value(attribute), name.meaning, name.ref,
                           attribute.doc.empty() ? 0 : pool_.intern(attribute.doc)});
    }
    if (inputs) put_info(*inputs);
    if (outputs) put_info(*outputs);
    return {place, shape_number((inputs ? 1u : 0u) | (outputs ? 2u : 0u))};
  }

  /// Whether a known attribute of such a node may be of no use.
  bool is_doubtful(Place place) const noexcept { return shapes_[place.shape].doubtful; }

  void freeze() {
    pool_.freeze();
    values_.shrink_to_fit();
    building_ = {};
    texts_ = {};
  }

  // ---- reading ---------------------------------------------------------------------------------------------------
  void append(std::string& out, Text text) const { out.append(pool_[text.head]).append(pool_[text.tail]); }

  /// What a simulator wants to know of one node.
  Facts facts(Place place) const {
    Facts facts;
    std::string text;
    const char* at = values_.data() + place.values;
    const char* const end = values_.data() + values_.size();
    for (const Entry& entry : shapes_[place.shape].entries) {
      Attribute attribute{{}, entry.type};
      switch (entry.stored) {
      case Stored::nothing:
        break;
      case Stored::number:
        attribute.bits = protozero::decode_varint(&at, end);
        break;
      case Stored::zigzag:
        attribute.bits = static_cast<std::uint64_t>(protozero::decode_zigzag64(protozero::decode_varint(&at, end)));
        break;
      case Stored::text: {
        const Text parts = get_text(at, end);
        if (entry.meaning == Known::other) break;
        text.clear();
        append(text, parts);
        attribute.text = text;
        break;
      }
      case Stored::texts:
        for (std::uint64_t count = protozero::decode_varint(&at, end); count != 0; --count)
          get_text(at, end);
        break;
      }
      if (entry.meaning != Known::other) facts.take(entry.meaning, attribute);
    }
    return facts;
  }

  /// Reads everything of one node; the views are valid until the next call.
  class Cursor {
   public:
    explicit Cursor(const AttributeStore& store) noexcept : store_{&store} {}

    void read(Place place, Text name, NodeView& node) {
      texts_.clear();
      fixes_.clear();
      const Shape& shape = store_->shapes_[place.shape];
      attributes_.resize(shape.entries.size());
      const char* at = store_->values_.data() + place.values;
      const char* const end = store_->values_.data() + store_->values_.size();
      want(node.name, name);
      for (std::size_t i = 0; i < shape.entries.size(); ++i) {
        const Entry& entry = shape.entries[i];
        Attribute& attribute = attributes_[i];
        attribute = {store_->pool_[entry.name], entry.type, false, 0, {}, store_->pool_[entry.doc]};
        switch (entry.stored) {
        case Stored::nothing:
          break;
        case Stored::number:
          attribute.bits = protozero::decode_varint(&at, end);
          break;
        case Stored::zigzag:
          attribute.bits = static_cast<std::uint64_t>(protozero::decode_zigzag64(protozero::decode_varint(&at, end)));
          break;
        case Stored::text:
          want(attribute.text, get_text(at, end));
          break;
        case Stored::texts: {
          const std::uint64_t count = protozero::decode_varint(&at, end);
          const std::size_t start = texts_.size();
          for (std::uint64_t k = 0; k < count; ++k) {
            const Text text = get_text(at, end);
            const std::string_view head = store_->pool_[text.head];
            const std::string_view tail = store_->pool_[text.tail];
            texts_.push_back('\x0a');
            protozero::add_varint_to_buffer(&texts_, head.size() + tail.size());
            texts_.append(head).append(tail);
          }
          fixes_.push_back({&attribute.text, start, texts_.size() - start});
          break;
        }
        }
      }
      node.inputs = node.outputs = std::nullopt;
      if (shape.infos & 1u) get_info(at, end, node.inputs.emplace());
      if (shape.infos & 2u) get_info(at, end, node.outputs.emplace());
      for (const Fix& fix : fixes_)
        *fix.view = std::string_view{texts_}.substr(fix.start, fix.size);
      node.attributes = attributes_;
    }

   private:
    struct Fix {
      std::string_view* view;
      std::size_t start;
      std::size_t size;
    };

    // A text of one part can be seen where it is; two parts are put together, and found when `texts_` has come to rest.
    void want(std::string_view& view, Text text) {
      if (text.tail == 0) {
        view = store_->pool_[text.head];
        return;
      }
      const std::size_t start = texts_.size();
      store_->append(texts_, text);
      fixes_.push_back({&view, start, texts_.size() - start});
    }

    void get_info(const char*& at, const char* end, IoInfo& info) {
      want(info.values, get_text(at, end));
      want(info.shapes, get_text(at, end));
      want(info.types, get_text(at, end));
    }

    const AttributeStore* store_;
    std::vector<Attribute> attributes_;
    std::string texts_;
    std::vector<Fix> fixes_;
  };

  std::size_t memory() const noexcept {
    std::size_t bytes = pool_.memory() + values_.capacity();
    for (const Shape& shape : shapes_)
      bytes += sizeof(Shape) + shape.entries.capacity() * sizeof(Entry);
    return bytes;
  }

  std::size_t shapes() const noexcept { return shapes_.size(); }

 private:
  enum class Stored : std::uint8_t { nothing, number, zigzag, text, texts };

  struct Entry {
    ValueType type;
    Stored stored;
    Known meaning;
    TextPool::Ref name;
    TextPool::Ref doc;
    auto operator<=>(const Entry&) const = default;
  };
  struct Name {
    TextPool::Ref ref;
    Known meaning;
  };
  struct Shape {
    std::vector<Entry> entries;
    unsigned infos = 0;    // 1: has inputs, 2: has outputs
    bool doubtful = false; // a known attribute is no integer, so whether it can serve depends on its value
    auto operator<=>(const Shape&) const = default;
  };

  static Text get_text(const char*& at, const char* end) {
    const std::uint64_t head = protozero::decode_varint(&at, end);
    const std::uint64_t tail = head & 1 ? protozero::decode_varint(&at, end) : 0;
    return {static_cast<TextPool::Ref>(head >> 1), static_cast<TextPool::Ref>(tail)};
  }

  void put(std::uint64_t number) { values_.put_varint(number); }

  void put_text(std::string_view text) {
    const Text parts = intern(text);
    put(std::uint64_t{parts.head} << 1 | (parts.tail != 0 ? 1u : 0u));
    if (parts.tail != 0) put(parts.tail);
  }

  void put_info(const IoInfo& info) {
    put_text(info.values);
    put_text(info.shapes);
    put_text(info.types);
  }

  Stored put_value(const Attribute& attribute) {
    const ValueType type = attribute.type;
    if (type == ValueType::none) return Stored::nothing;
    if (is_text(type)) {
      put_text(attribute.text);
      return Stored::text;
    }
    if (!is_list(type)) {
      const bool negative = static_cast<std::int64_t>(attribute.bits) < 0 && is_integer(type);
      put(negative ? protozero::encode_zigzag64(static_cast<std::int64_t>(attribute.bits)) : attribute.bits);
      return negative ? Stored::zigzag : Stored::number;
    }
    if (type == ValueType::string_list && put_texts(attribute.text)) return Stored::texts;
    put_text(attribute.text);
    return Stored::text;
  }

  /// False, and nothing put, where the list cannot be put together again from its texts: where it has other fields, or
  /// lengths that are spelled longer than need be.
  bool put_texts(std::string_view encoded) {
    texts_.clear();
    const char* at = encoded.data();
    const char* const end = at + encoded.size();
    while (at != end) {
      if (*at++ != '\x0a') return false;
      std::uint64_t size = 0;
      for (int shift = 0;; shift += 7) {
        if (at == end || shift > 56) return false;
        const auto byte = static_cast<unsigned char>(*at++);
        size |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte >= 0x80) continue;
        if (byte == 0 && shift != 0) return false;
        break;
      }
      if (size > static_cast<std::uint64_t>(end - at)) return false;
      texts_.emplace_back(at, size);
      at += size;
    }
    put(texts_.size());
    for (const std::string_view text : texts_)
      put_text(text);
    return true;
  }

  /// Names of attributes come in the same order again and again, so the one after the last is tried first.
  Name intern_name(std::string_view text) {
    const std::size_t guess = next_name_ < recent_names_.size() ? next_name_ : 0;
    if (guess < recent_names_.size() && pool_.holds(recent_names_[guess].ref, text)) {
      next_name_ = guess + 1;
      return recent_names_[guess];
    }
    for (std::size_t i = 0; i < recent_names_.size(); ++i)
      if (pool_.holds(recent_names_[i].ref, text)) {
        next_name_ = i + 1;
        return recent_names_[i];
      }
    const Name name{pool_.intern(text), known_attribute(text)};
    if (recent_names_.size() < 64) recent_names_.push_back(name);
    return name;
  }

  std::uint32_t shape_number(unsigned infos) {
    for (const std::uint32_t recent : recent_shapes_)
      if (recent < shapes_.size() && shapes_[recent].infos == infos && shapes_[recent].entries == building_)
        return recent;
    bool doubtful = false;
    for (const Entry& entry : building_)
      doubtful = doubtful || (entry.meaning != Known::other && !is_integer(entry.type));
    const auto [found, fresh] =
        numbers_.try_emplace(Shape{building_, infos, doubtful}, static_cast<std::uint32_t>(shapes_.size()));
    if (fresh) shapes_.push_back(found->first);
    recent_shapes_[next_recent_++ % recent_shapes_.size()] = found->second;
    return found->second;
  }

  TextPool pool_;
  PackedBytes values_;
  std::vector<Shape> shapes_;
  std::map<Shape, std::uint32_t> numbers_;
  std::vector<Entry> building_;
  std::vector<std::string_view> texts_;
  std::array<std::uint32_t, 8> recent_shapes_{};
  std::size_t next_recent_ = 0;
  std::vector<Name> recent_names_;
  std::size_t next_name_ = 0;
  TextPool::Ref last_head_ = 0;
};

} // namespace triosim::chakra
