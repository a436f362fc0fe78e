#pragma once

#include "triosim/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::trace {

/// Reads comma-separated records as the published program does: RFC 4180 quotes, leading blanks of a field dropped,
/// empty lines dropped, LF or CRLF, a byte-order mark allowed, quotes nowhere else than around a field. Reads in
/// blocks; memory is that of the longest record. Throws `TraceError` for what breaks these rules.
class CsvRecords {
 public:
  /// A record that is longer than this is not a record.
  static constexpr std::size_t longest_record = std::size_t{1} << 26;

  CsvRecords(std::istream& in, std::string file) : in_{&in}, file_{std::move(file)} {}

  /// Goes to the next record; false at the end of the file.
  bool next() {
    for (;;) {
      while (!scan())
        refill();
      if (begin_ == next_) return false;
      const bool blank = fields_.size() == 1 && fields_[0].empty() && !was_quoted_;
      line_ = next_line_;
      next_line_ += newlines_ + 1;
      begin_ = next_;
      if (!blank) return true;
    }
  }

  /// The fields of the record; valid until `next`.
  std::span<const std::string_view> fields() const noexcept { return fields_; }
  /// The line on which the record begins, from 1.
  std::size_t line() const noexcept { return line_; }
  const std::string& file() const noexcept { return file_; }

  /// An error at this record.
  TraceError error(std::string_view field, std::string_view problem) const {
    return TraceError::at_line(file_, line_, std::string{field}, problem);
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 18;

  // One record from begin_ on, or false if its end is not in the buffer yet.
  bool scan() {
    char* p = buffer_.data() + begin_;
    char* const end = buffer_.data() + end_;
    fields_.clear();
    unescaped_.clear();
    was_quoted_ = false;
    newlines_ = 0;
    for (;;) {
      while (p != end && (*p == ' ' || *p == '\t'))
        ++p;
      if (p != end && *p == '"') {
        if (!scan_quoted(p, end)) return false;
      } else {
        char* const start = p;
        while (p != end && *p != ',' && *p != '\n' && *p != '"')
          ++p;
        if (p == end && !at_end_) return false;
        if (p != end && *p == '"')
          throw problem("found a quote within a field, expected quotes around the whole field");
        const bool return_before_end = (p == end || *p == '\n') && p != start && p[-1] == '\r';
        fields_.emplace_back(start, static_cast<std::size_t>(p - start) - (return_before_end ? 1U : 0U));
      }
      const bool more = p != end && *p == ',';
      if (p != end) ++p;
      if (!more) break;
    }
    next_ = static_cast<std::size_t>(p - buffer_.data());
    return true;
  }

  // A field in quotes; leaves p at the comma or the end of the line.
  bool scan_quoted(char*& p, char* end) {
    char* const start = ++p;
    bool escapes = false;
    for (;;) {
      p = p == end ? nullptr : static_cast<char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
      if (p == nullptr) {
        if (!at_end_) return false;
        throw problem("found the end of the file within quotes, expected a closing quote");
      }
      // Both the doubled quote and CRLF need to be seen whole.
      if (end - p < 3 && !at_end_) return false;
      if (p + 1 == end || p[1] != '"') break;
      escapes = true;
      p += 2;
    }
    std::string_view field{start, static_cast<std::size_t>(p - start)};
    newlines_ += static_cast<std::size_t>(std::count(field.begin(), field.end(), '\n'));
    ++p;
    if (end - p >= 2 && p[0] == '\r' && p[1] == '\n') ++p;
    if (end - p == 1 && *p == '\r') ++p;
    if (p != end && *p != ',' && *p != '\n')
      throw problem("found text after a closing quote, expected a comma or the end of the line");
    was_quoted_ = true;
    if (escapes) field = unescape(start, field.size());
    fields_.push_back(field);
    return true;
  }

  // The scan of a record may start anew when more of the file is read, so the buffer itself must not change.
  std::string_view unescape(const char* text, std::size_t size) {
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t i = 0; i < size; ++i) {
      plain += text[i];
      if (text[i] == '"') ++i;
    }
    return plain;
  }

  void refill() {
    const std::size_t kept = end_ - begin_;
    if (kept > longest_record) throw problem("found a record of more than 64 MiB, expected shorter ones");
    if (begin_ != 0) std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
    begin_ = 0;
    end_ = kept;
    if (buffer_.size() < kept + block) buffer_.resize(std::max(kept + block, 2 * buffer_.size()));
    in_->read(buffer_.data() + kept, static_cast<std::streamsize>(buffer_.size() - kept));
    if (in_->bad()) throw TraceError::in_file(file_, "cannot be read");
    const auto count = static_cast<std::size_t>(in_->gcount());
    end_ += count;
    at_end_ = count == 0;
    if (!started_ && end_ >= 3 && std::string_view{buffer_.data(), 3} == "\xEF\xBB\xBF") begin_ = 3;
    started_ = true;
  }

  TraceError problem(std::string_view what) const {
    return TraceError::at_line(file_, next_line_, "field " + std::to_string(fields_.size() + 1), what);
  }

  std::istream* in_;
  std::string file_;
  std::vector<char> buffer_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;
  std::size_t begin_ = 0; // of the record, in the buffer
  std::size_t next_ = 0;  // of the record after it
  std::size_t end_ = 0;   // of what has been read
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::size_t newlines_ = 0; // within quotes
  bool was_quoted_ = false;
  bool at_end_ = false;
  bool started_ = false;
};

} // namespace triosim::trace
