#include <triosim/symbolic/exact.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace triosim::symbolic;

namespace {

Rational fraction(std::uint64_t above, std::uint64_t below) {
  return {Natural{above}, Natural{below}, false};
}

} // namespace

TEST_CASE("whole numbers of any size obey the laws of arithmetic") {
  std::mt19937_64 random{7};
  for (int i = 0; i < 2000; ++i) {
    const auto draw = [&] { return Natural{random() >> random() % 64} << random() % 90; };
    const Natural a = draw(), b = draw(), c = draw();
    CHECK((a + b) * c == a * c + b * c);
    CHECK((a + b) - b == a);
    CHECK((a * b) * c == a * (b * c));
    CHECK((a << 33) == a * (Natural{1} << 33));
    CHECK((a < b) == !(b < a || a == b));
  }
  CHECK(Natural{0}.bit_length() == 0);
  CHECK((Natural{1} << 100).bit_length() == 101);
  CHECK((Natural{5} * Natural{0}).is_zero());
}

TEST_CASE("values that a double holds come out exactly") {
  CHECK(fraction(0, 5).to_double() == 0);
  CHECK(fraction(7, 1).to_double() == 7);
  CHECK(fraction(1, 8).to_double() == 0.125);
  CHECK(fraction(3, 2).to_double() == 1.5);
  CHECK(Rational{Natural{1} << 900, Natural{1} << 890, true}.to_double() == -1024);
  std::mt19937_64 random{1};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t n = random() >> 11;
    CHECK(fraction(n, 1).to_double() == static_cast<double>(n));
  }
}

TEST_CASE("other values are rounded at 57 bits and then at 53") {
  // 10051400/27 lies just above the middle of two doubles at 57 bits: rounding once would give ...407407407.
  CHECK(fraction(10051400, 27).to_double() == 372274.07407407404);
  CHECK(fraction(1, 3).to_double() == doctest::Approx(1.0 / 3));
  // 2^53 + 1 is a tie between two doubles; the even one wins.
  CHECK(fraction((std::uint64_t{1} << 53) + 1, 1).to_double() == 0x1p53);
  // A trifle above that tie would round up, but the trifle is lost in the first rounding.
  const Rational nearly{(Natural{1} << 70) + (Natural{1} << 17) + Natural{1}, Natural{1} << 17, false};
  CHECK(nearly.to_double() == 0x1p53);
  // Within a double's last place of the exact quotient, always.
  std::mt19937_64 random{3};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = random() >> 20, b = (random() >> 20) + 1;
    const double expected = static_cast<double>(a) / static_cast<double>(b);
    CHECK(std::abs(fraction(a, b).to_double() - expected) <= std::nextafter(expected, 1e300) - expected);
  }
}
