#pragma once

#include "triosim/error.hpp"
#include "triosim/excerpt.hpp"
#include "triosim/nearest.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace triosim::io {

/// A JSON configuration on the way through it. It knows where it is, so that every error says so: `file:
/// tiers[1].latency: found "5 parsecs", expected ...`. Keys that nobody asked for are errors with the nearest known
/// one. Every problem is a `TraceError`; one with the text itself has the byte.
class JsonWalk {
 public:
  using Value = rapidjson::Value;

  /// What to do with keys that are not in the list.
  enum class Others : std::uint8_t { refuse, pass_over };

  JsonWalk(std::string_view text, std::string file) : file_{std::move(file)} {
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
    document_.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
    if (document_.HasParseError())
      throw TraceError::at_byte(file_, document_.GetErrorOffset(), "",
                                rapidjson::GetParseError_En(document_.GetParseError()));
  }

  const Value& root() const noexcept { return document_; }
  const std::string& file() const noexcept { return file_; }

  // ---- structure ---------------------------------------------------------------------------------------------------
  /// Calls `use(place in keys, value)` for the members of an object; tells which were there, a bit for each. At most 64
  /// keys, none twice.
  template <class Use>
  std::uint64_t members(const Value& value, std::initializer_list<std::string_view> keys, Others others, Use&& use) {
    std::uint64_t seen = 0;
    const std::size_t outer = path_.size();
    each_member(value, [&](std::string_view key, const Value& member) {
      const auto found = std::find(keys.begin(), keys.end(), key);
      if (found == keys.end()) {
        if (others == Others::pass_over) return;
        path_.erase(outer);
        fail("found the key " + excerpt(key) + ", expected one of " + list(keys) +
             did_you_mean(key, std::span{keys.begin(), keys.size()}));
      }
      const auto place = static_cast<std::size_t>(found - keys.begin());
      if ((seen >> place & 1u) != 0) fail("found twice, expected once");
      seen |= std::uint64_t{1} << place;
      use(place, member);
    });
    return seen;
  }

  /// That the first of the keys given to `members` were all there.
  void require(std::uint64_t seen, std::initializer_list<std::string_view> keys) const {
    std::size_t place = 0;
    for (const std::string_view key : keys)
      if ((seen >> place++ & 1u) == 0) fail("found no " + excerpt(key) + ", expected " + list(keys));
  }

  /// Calls `use(key, value)` for each member of an object, whatever it is called.
  template <class Use>
  void each_member(const Value& value, Use&& use) {
    if (!value.IsObject()) refuse(value, "an object");
    const std::size_t outer = path_.size();
    for (auto member = value.MemberBegin(); !(member == value.MemberEnd()); ++member) {
      const std::string_view key{member->name.GetString(), member->name.GetStringLength()};
      path_.append(outer == 0 ? "" : ".").append(key);
      use(key, std::as_const(member->value));
      path_.resize(outer);
    }
  }

  /// Calls `use(value)` for each element of a list.
  template <class Use>
  void elements(const Value& value, Use&& use) {
    if (!value.IsArray()) refuse(value, "a list");
    const std::size_t outer = path_.size();
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      path_.append("[").append(std::to_string(i)).append("]");
      use(std::as_const(value[i]));
      path_.resize(outer);
    }
  }

  /// Runs `use()` one step further down the path, for checks that come after the walk: `at(".flows[3]", ...)`.
  template <class Use>
  void at(std::string_view step, Use&& use) {
    const std::size_t outer = path_.size();
    path_.append(step);
    use();
    path_.resize(outer);
  }

  // ---- values ------------------------------------------------------------------------------------------------------
  double number(const Value& value, double least, double most, std::string_view expected) const {
    if (!value.IsNumber()) refuse(value, expected);
    const double number = value.GetDouble();
    if (!(number >= least && number <= most)) refuse(value, expected);
    return number;
  }

  /// A whole number; 1e6 and 1000000.0 are whole numbers too.
  std::uint64_t natural(const Value& value, std::uint64_t least, std::uint64_t most, std::string_view expected) const {
    std::uint64_t whole = 0;
    if (value.IsUint64()) {
      whole = value.GetUint64();
    } else {
      const double real = number(value, 0, 0x1p63, expected);
      whole = static_cast<std::uint64_t>(real);
      if (static_cast<double>(whole) != real) refuse(value, expected);
    }
    if (whole < least || whole > most) refuse(value, expected);
    return whole;
  }

  std::string text(const Value& value, std::string_view expected = "a text") const {
    if (!value.IsString()) refuse(value, expected);
    return {value.GetString(), value.GetStringLength()};
  }

  bool boolean(const Value& value) const {
    if (!value.IsBool()) refuse(value, "true or false");
    return value.GetBool();
  }

  /// The place of a text in a list of names.
  std::size_t one_of(const Value& value, std::initializer_list<std::string_view> names) const {
    const std::string found = text(value, "one of " + list(names));
    const auto at = std::find(names.begin(), names.end(), found);
    if (at == names.end())
      fail("found " + excerpt(found) + ", expected one of " + list(names) +
           did_you_mean(found, std::span{names.begin(), names.size()}));
    return static_cast<std::size_t>(at - names.begin());
  }

  /// A text with a unit, by one of `parse_bandwidth`, `parse_bytes`, `parse_time`, ...
  template <class Parse>
  auto quantity(const Value& value, Parse&& parse) const {
    try {
      return parse(text(value, "a text with a unit"));
    } catch (const ConfigError& error) {
      fail("found " + excerpt(error.value()) + ", expected " + error.allowed());
    }
  }

  // ---- errors ------------------------------------------------------------------------------------------------------
  [[noreturn]] void fail(std::string_view problem) const {
    throw TraceError::at_line(file_, 0, printable(path_), problem);
  }
  [[noreturn]] void refuse(const Value& value, std::string_view expected) const {
    fail("found " + shown(value) + ", expected " + std::string{expected});
  }

  static std::string list(std::initializer_list<std::string_view> keys) {
    std::string text;
    for (const std::string_view key : keys)
      text.append(text.empty() ? "" : ", ").append(key);
    return text;
  }

 private:
  static std::string shown(const Value& value) {
    if (value.IsNull()) return "null";
    if (value.IsBool()) return value.GetBool() ? "true" : "false";
    if (value.IsArray()) return "a list";
    if (value.IsObject()) return "an object";
    if (value.IsString()) return excerpt({value.GetString(), value.GetStringLength()});
    if (value.IsInt64()) return std::to_string(value.GetInt64());
    if (value.IsUint64()) return std::to_string(value.GetUint64());
    char digits[32];
    return {digits, static_cast<std::size_t>(std::snprintf(digits, sizeof digits, "%g", value.GetDouble()))};
  }

  // Keys come from the file: what is not printable must not reach a terminal.
  static std::string printable(const std::string& path) {
    const bool plain = std::all_of(path.begin(), path.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
    return plain ? path : excerpt(path, 200);
  }

  std::string file_;
  std::string path_;
  rapidjson::Document document_;
};

} // namespace triosim::io
