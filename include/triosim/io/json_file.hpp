#pragma once

#include "triosim/error.hpp"
#include "triosim/io/byte_stream.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
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
    const std::size_t start = position();
    // RapidJSON is three times as fast on text that is all there as on a stream that must ask for each byte.
    text_.assign(bytes_->look(extent()));
    document_.SetNull();
    pool_.Clear();
    rapidjson::StringStream stream{text_.c_str()};
    document_.ParseStream<rapidjson::kParseIterativeFlag | rapidjson::kParseStopWhenDoneFlag |
                          rapidjson::kParseNumbersAsStringsFlag>(stream);
    if (document_.HasParseError())
      throw problem(start + document_.GetErrorOffset(), rapidjson::GetParseError_En(document_.GetParseError()));
    bytes_->take(stream.Tell());
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

  /// How many of the next bytes are the value that comes next, as far as brackets and quotes tell.
  std::size_t extent() {
    std::size_t at = 0;
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t want = 4096;; want *= 2) {
      const std::string_view seen = bytes_->look(want);
      for (; at < seen.size(); ++at) {
        const char c = seen[at];
        if (in_string) {
          at = std::min(seen.find('"', at), seen.size());
          if (at == seen.size()) break;
          std::size_t slashes = 0;
          while (slashes < at && seen[at - slashes - 1] == '\\')
            ++slashes;
          if (slashes % 2 != 0) continue;
          in_string = false;
          if (depth == 0) return at + 1;
        } else if (c == '"') {
          in_string = true;
        } else if (c == '{' || c == '[') {
          ++depth;
        } else if (c == '}' || c == ']') {
          if (depth <= 1) return at + depth;
          --depth;
        } else if (depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
          return at;
        }
      }
      if (seen.size() < want) return seen.size();
    }
  }

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
  std::string text_;
  std::unique_ptr<char[]> buffer_;
  rapidjson::MemoryPoolAllocator<> pool_;
  rapidjson::Document document_;
};

} // namespace triosim::io
