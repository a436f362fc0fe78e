#pragma once

#include "triosim/error.hpp"
#include "triosim/io/byte_stream.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace triosim::io {

/// A JSON value in memory. Numbers keep their spelling: they are strings here.
using JsonValue = rapidjson::Value;

/// Reads a large JSON file whose outer levels are walked by the caller, member by member and element by element, and
/// whose inner values are small enough to be held one at a time. Depth of nesting costs memory, never stack.
class JsonFile {
 public:
  explicit JsonFile(ByteStream& bytes)
      : bytes_{&bytes}, buffer_{new char[buffer_size]}, pool_{buffer_.get(), buffer_size}, document_{&pool_} {
    if (bytes_->look(3) == "\xef\xbb\xbf") bytes_->take(3);
  }

  const std::string& name() const noexcept { return bytes_->name(); }
  /// Where the next thing begins, behind white space.
  std::size_t position() {
    peek();
    return bytes_->position();
  }

  /// The value that comes next; it lives until the next call.
  const JsonValue& value() {
    document_.SetNull();
    pool_.Clear();
    document_.ParseStream<rapidjson::kParseIterativeFlag | rapidjson::kParseStopWhenDoneFlag |
                          rapidjson::kParseNumbersAsStringsFlag>(*bytes_);
    if (document_.HasParseError())
      throw problem(document_.GetErrorOffset(), rapidjson::GetParseError_En(document_.GetParseError()));
    return document_;
  }

  /// Calls `use(std::string key)` for each member of the object that comes next; `use` must read its value.
  template <class Use>
  void for_each_member(Use&& use) {
    take('{');
    if (next_is('}')) return;
    do {
      if (peek() != '"') throw problem(position(), "found " + spell(peek()) + ", expected the key of an object");
      std::string key = std::string{text(value())};
      take(':');
      use(std::move(key));
    } while (next_is(','));
    take('}');
  }

  /// Calls `use()` for each element of the array that comes next; `use` must read it.
  template <class Use>
  void for_each_element(Use&& use) {
    take('[');
    if (next_is(']')) return;
    do
      use();
    while (next_is(','));
    take(']');
  }

  /// Throws where anything but white space is left.
  void expect_end() {
    peek();
    if (!bytes_->at_end()) throw problem(position(), "found " + spell(peek()) + ", expected the end of the file");
  }

  TraceError problem(std::size_t byte, std::string_view text, std::string_view field = {}) const {
    return TraceError::at_byte(bytes_->name(), byte, std::string{field}, text);
  }

  static std::string_view text(const JsonValue& value) noexcept {
    return value.IsString() ? std::string_view{value.GetString(), value.GetStringLength()} : std::string_view{};
  }

 private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 16;

  char peek() {
    for (;;) {
      const char c = bytes_->Peek();
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
      bytes_->Take();
    }
  }

  std::string spell(char c) {
    if (bytes_->at_end()) return "the end of the file";
    return c > ' ' && c < '\x7f' ? std::string{'"', c, '"'} : "byte " + std::to_string(static_cast<unsigned char>(c));
  }

  void take(char expected) {
    const char found = peek();
    if (found != expected) throw problem(position(), "found " + spell(found) + ", expected " + spell_plain(expected));
    bytes_->Take();
  }
  static std::string spell_plain(char c) { return {'"', c, '"'}; }

  bool next_is(char expected) {
    if (peek() != expected) return false;
    bytes_->Take();
    return true;
  }

  ByteStream* bytes_;
  std::unique_ptr<char[]> buffer_;
  rapidjson::MemoryPoolAllocator<> pool_;
  rapidjson::Document document_;
};

} // namespace triosim::io
