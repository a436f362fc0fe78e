#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim {

/// Root of every error that the library throws. `what()` is one sentence on one line, ready to be shown to a person.
/// The library never prints and never exits.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An input file is wrong: which file, where in it, which field, what was found and what was expected.
class TraceError : public Error {
 public:
  /// A text file: `file:line: field: problem`. `line` counts from 1; 0 leaves it out. An empty `field` is left out.
  static TraceError at_line(std::string file, std::size_t line, std::string field, std::string_view problem) {
    std::string text = file;
    if (line != 0) text.append(1, ':').append(std::to_string(line));
    append_field(text, field, problem);
    return TraceError{std::move(text), std::move(file), line, npos, std::move(field)};
  }

  /// A binary or JSON file: `file: byte N: field: problem`. `byte` counts from 0.
  static TraceError at_byte(std::string file, std::size_t byte, std::string field, std::string_view problem) {
    std::string text = file;
    text.append(": byte ").append(std::to_string(byte));
    append_field(text, field, problem);
    return TraceError{std::move(text), std::move(file), 0, byte, std::move(field)};
  }

  /// The file as a whole: `file: problem`.
  static TraceError in_file(std::string file, std::string_view problem) {
    return at_line(std::move(file), 0, {}, problem);
  }

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  const std::string& file() const noexcept { return file_; }
  /// From 1; 0 where the position is a byte or the whole file.
  std::size_t line() const noexcept { return line_; }
  /// From 0; `npos` where the position is a line or the whole file.
  std::size_t byte() const noexcept { return byte_; }
  const std::string& field() const noexcept { return field_; }

 private:
  TraceError(std::string text, std::string file, std::size_t line, std::size_t byte, std::string field)
      : Error{text}, file_{std::move(file)}, line_{line}, byte_{byte}, field_{std::move(field)} {}

  static void append_field(std::string& text, std::string_view field, std::string_view problem) {
    if (!field.empty()) text.append(": ").append(field);
    text.append(": ").append(problem);
  }

  std::string file_;
  std::size_t line_;
  std::size_t byte_;
  std::string field_;
};

/// A setting is wrong: `key: found "value", expected allowed`.
class ConfigError : public Error {
 public:
  ConfigError(std::string key, std::string value, std::string allowed)
      : Error{describe(key, value, allowed)}, key_{std::move(key)}, value_{std::move(value)}, allowed_{
                                                                                                  std::move(allowed)} {}

  const std::string& key() const noexcept { return key_; }
  const std::string& value() const noexcept { return value_; }
  const std::string& allowed() const noexcept { return allowed_; }

 private:
  static std::string describe(std::string_view key, std::string_view value, std::string_view allowed) {
    std::string text{key};
    return text.append(": found \"").append(value).append("\", expected ").append(allowed);
  }

  std::string key_;
  std::string value_;
  std::string allowed_;
};

/// A set of links cannot carry what is asked of it: no route, no such node, a shape that cannot be built.
class TopologyError : public Error {
 public:
  using Error::Error;
};

/// A modelled device has too little memory. The run cannot go on, which is an answer and not a failure of the program.
class OutOfMemory : public Error {
 public:
  OutOfMemory(std::uint32_t rank, std::string task, std::uint64_t needed_bytes, std::uint64_t capacity_bytes)
      : Error{"out of memory: rank " + std::to_string(rank) + " needs " + std::to_string(needed_bytes) + " of " +
              std::to_string(capacity_bytes) + " bytes at " + task},
        rank_{rank}, task_{std::move(task)}, needed_{needed_bytes}, capacity_{capacity_bytes} {}

  std::uint32_t rank() const noexcept { return rank_; }
  const std::string& task() const noexcept { return task_; }
  std::uint64_t needed_bytes() const noexcept { return needed_; }
  std::uint64_t capacity_bytes() const noexcept { return capacity_; }

 private:
  std::uint32_t rank_;
  std::string task_;
  std::uint64_t needed_;
  std::uint64_t capacity_;
};

/// Nothing can happen any more and work is left. `what()` shows the first few; `stuck()` has one line for each task
/// that cannot go on, with what it waits for.
class Deadlock : public Error {
 public:
  explicit Deadlock(std::vector<std::string> stuck, std::size_t shown = 3)
      : Error{describe(stuck, shown)}, stuck_{std::move(stuck)} {}

  const std::vector<std::string>& stuck() const noexcept { return stuck_; }

 private:
  static std::string describe(const std::vector<std::string>& stuck, std::size_t shown) {
    std::string text =
        "deadlock: " + std::to_string(stuck.size()) + (stuck.size() == 1 ? " task" : " tasks") + " cannot go on";
    for (std::size_t i = 0; i < stuck.size() && i < shown; ++i)
      text.append(i == 0 ? ": " : "; ").append(stuck[i]);
    if (stuck.size() > shown) text.append("; and ").append(std::to_string(stuck.size() - shown)).append(" more");
    return text;
  }

  std::vector<std::string> stuck_;
};

} // namespace triosim
