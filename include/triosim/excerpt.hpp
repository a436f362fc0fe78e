#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace triosim {

/// A piece of an input file as an error message shows it: in quotes, on one line, what is not printable ASCII as
/// `\xNN`, and the end of a long text replaced by dots.
inline std::string excerpt(std::string_view text, std::size_t longest = 40) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += digits[byte >> 4];
      shown += digits[byte & 15];
    }
  }
  return shown.append(text.size() > longest ? "...\"" : "\"");
}

} // namespace triosim
