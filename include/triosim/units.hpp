#pragma once

#include "triosim/error.hpp"

#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace triosim {

/// An instant of simulated time or a length of it: an integer count of picoseconds, so that equal means equal on every
/// machine and compiler. The range is about 106 days.
class Time {
 public:
  constexpr Time() noexcept = default;
  constexpr explicit Time(std::int64_t picoseconds) noexcept : ps_{picoseconds} {}

  /// Rounded to the nearest picosecond. Throws `ConfigError` for what is not a number or does not fit.
  static Time from_seconds(double seconds) {
    const double ps = seconds * 1e12;
    if (!(std::abs(ps) < 9.2e18)) throw ConfigError{"time", std::to_string(seconds) + " s", "less than 106 days"};
    return Time{std::llround(ps)};
  }
  /// Later than every instant that can be reached.
  static constexpr Time infinity() noexcept { return Time{std::numeric_limits<std::int64_t>::max()}; }

  constexpr std::int64_t picoseconds() const noexcept { return ps_; }
  /// The nearest to it.
  constexpr double seconds() const noexcept { return static_cast<double>(ps_) / 1e12; }

  friend constexpr auto operator<=>(Time, Time) noexcept = default;
  friend constexpr Time operator+(Time a, Time b) noexcept { return Time{a.ps_ + b.ps_}; }
  friend constexpr Time operator-(Time a, Time b) noexcept { return Time{a.ps_ - b.ps_}; }
  friend constexpr Time operator*(Time a, std::int64_t n) noexcept { return Time{a.ps_ * n}; }
  friend constexpr Time operator*(std::int64_t n, Time a) noexcept { return a * n; }
  constexpr Time& operator+=(Time b) noexcept { return *this = *this + b; }
  constexpr Time& operator-=(Time b) noexcept { return *this = *this - b; }

 private:
  std::int64_t ps_ = 0;
};

/// An amount of memory or of traffic.
class Bytes {
 public:
  constexpr Bytes() noexcept = default;
  constexpr explicit Bytes(std::uint64_t count) noexcept : count_{count} {}

  constexpr std::uint64_t count() const noexcept { return count_; }

  friend constexpr auto operator<=>(Bytes, Bytes) noexcept = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) noexcept { return Bytes{a.count_ + b.count_}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) noexcept { return Bytes{a.count_ - b.count_}; }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t n) noexcept { return Bytes{a.count_ * n}; }
  constexpr Bytes& operator+=(Bytes b) noexcept { return *this = *this + b; }
  constexpr Bytes& operator-=(Bytes b) noexcept { return *this = *this - b; }

 private:
  std::uint64_t count_ = 0;
};

/// Bytes per second, one way.
class Bandwidth {
 public:
  constexpr Bandwidth() noexcept = default;
  constexpr explicit Bandwidth(double bytes_per_second) noexcept : rate_{bytes_per_second} {}

  constexpr double bytes_per_second() const noexcept { return rate_; }

  friend constexpr auto operator<=>(Bandwidth, Bandwidth) noexcept = default;
  friend constexpr Bandwidth operator*(Bandwidth a, double factor) noexcept { return Bandwidth{a.rate_ * factor}; }
  friend constexpr Bandwidth operator/(Bandwidth a, double divisor) noexcept { return Bandwidth{a.rate_ / divisor}; }

 private:
  double rate_ = 0;
};

/// Floating-point operations: a multiply-add counts as two.
class Flops {
 public:
  constexpr Flops() noexcept = default;
  constexpr explicit Flops(double count) noexcept : count_{count} {}

  constexpr double count() const noexcept { return count_; }

  friend constexpr auto operator<=>(Flops, Flops) noexcept = default;
  friend constexpr Flops operator+(Flops a, Flops b) noexcept { return Flops{a.count_ + b.count_}; }
  friend constexpr Flops operator*(Flops a, double factor) noexcept { return Flops{a.count_ * factor}; }

 private:
  double count_ = 0;
};

/// How long `bytes` need at `bandwidth`, to the nearest picosecond. A bandwidth of nothing takes for ever unless there
/// is nothing to send.
inline Time operator/(Bytes bytes, Bandwidth bandwidth) {
  if (bytes == Bytes{}) return Time{};
  if (!(bandwidth.bytes_per_second() > 0)) return Time::infinity();
  const double ps = static_cast<double>(bytes.count()) / bandwidth.bytes_per_second() * 1e12;
  return ps < 9.2e18 ? Time{std::llround(ps)} : Time::infinity();
}

namespace literals {

constexpr Time operator""_ps(unsigned long long n) {
  return Time{static_cast<std::int64_t>(n)};
}
constexpr Time operator""_ns(unsigned long long n) {
  return Time{static_cast<std::int64_t>(n) * 1'000};
}
constexpr Time operator""_us(unsigned long long n) {
  return Time{static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Time operator""_ms(unsigned long long n) {
  return Time{static_cast<std::int64_t>(n) * 1'000'000'000};
}
constexpr Time operator""_s(unsigned long long n) {
  return Time{static_cast<std::int64_t>(n) * 1'000'000'000'000};
}

constexpr Bytes operator""_B(unsigned long long n) {
  return Bytes{n};
}
constexpr Bytes operator""_KB(unsigned long long n) {
  return Bytes{n * 1'000};
}
constexpr Bytes operator""_MB(unsigned long long n) {
  return Bytes{n * 1'000'000};
}
constexpr Bytes operator""_GB(unsigned long long n) {
  return Bytes{n * 1'000'000'000};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes{n << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes{n << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return Bytes{n << 30};
}

constexpr Bandwidth operator""_GBps(unsigned long long n) {
  return Bandwidth{static_cast<double>(n) * 1e9};
}
constexpr Bandwidth operator""_GBps(long double n) {
  return Bandwidth{static_cast<double>(n * 1e9L)};
}
/// Network people count bits: 400 Gb/s are 50 GB/s.
constexpr Bandwidth operator""_Gbps(unsigned long long n) {
  return Bandwidth{static_cast<double>(n) * 1e9 / 8};
}

constexpr Flops operator""_TFLOP(unsigned long long n) {
  return Flops{static_cast<double>(n) * 1e12};
}

} // namespace literals

namespace units_detail {

struct Suffix {
  std::string_view text;
  double factor;
};

template <std::size_t N>
double parse(std::string_view what, std::string_view text, const Suffix (&suffixes)[N], std::string_view example) {
  const auto fail = [&] { return ConfigError{std::string{what}, std::string{text}, std::string{example}}; };
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || !std::isfinite(number)) throw fail();
  std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  while (!unit.empty() && unit.front() == ' ')
    unit.remove_prefix(1);
  for (const Suffix& suffix : suffixes)
    if (suffix.text == unit) return number * suffix.factor;
  throw fail();
}

} // namespace units_detail

/// Reads texts such as "65 GB/s", "400 Gb/s", "1.5 TB/s". GB = 1e9 bytes, GiB = 2^30, Gb = 1e9 bits. Throws
/// `ConfigError`.
inline Bandwidth parse_bandwidth(std::string_view text) {
  static constexpr units_detail::Suffix suffixes[] = {{"B/s", 1},        {"KB/s", 1e3},     {"MB/s", 1e6},
                                                      {"GB/s", 1e9},     {"TB/s", 1e12},    {"KiB/s", 0x1p10},
                                                      {"MiB/s", 0x1p20}, {"GiB/s", 0x1p30}, {"TiB/s", 0x1p40},
                                                      {"Mb/s", 1e6 / 8}, {"Gb/s", 1e9 / 8}, {"Tb/s", 1e12 / 8}};
  const double rate =
      units_detail::parse("bandwidth", text, suffixes, "a number with a unit, such as 65 GB/s or 400 Gb/s");
  if (rate < 0) throw ConfigError{"bandwidth", std::string{text}, "zero or more"};
  return Bandwidth{rate};
}

/// Reads texts such as "80 GB", "40 GiB", "25 MB". Throws `ConfigError`.
inline Bytes parse_bytes(std::string_view text) {
  static constexpr units_detail::Suffix suffixes[] = {{"B", 1},        {"KB", 1e3},     {"MB", 1e6},
                                                      {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
                                                      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  const double count = units_detail::parse("bytes", text, suffixes, "a number with a unit, such as 80 GB or 40 GiB");
  if (!(count >= 0 && count < 0x1p63)) throw ConfigError{"bytes", std::string{text}, "0 B to 8 EiB"};
  return Bytes{static_cast<std::uint64_t>(std::llround(count))};
}

/// Reads texts such as "5 us", "20 ns", "1.5 ms". Throws `ConfigError`.
inline Time parse_time(std::string_view text) {
  static constexpr units_detail::Suffix suffixes[] = {
      {"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  return Time::from_seconds(units_detail::parse("time", text, suffixes, "a number with a unit, such as 5 us or 20 ns"));
}

/// Reads texts such as "312 TFLOP/s", "2 PFLOP/s" into FLOP/s. Throws `ConfigError`.
inline double parse_flop_rate(std::string_view text) {
  static constexpr units_detail::Suffix suffixes[] = {
      {"FLOP/s", 1}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}, {"TOP/s", 1e12}};
  const double rate = units_detail::parse("rate", text, suffixes, "a number with a unit, such as 312 TFLOP/s");
  if (rate < 0) throw ConfigError{"rate", std::string{text}, "zero or more"};
  return rate;
}

} // namespace triosim
