#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace triosim::symbolic {

/// A whole number of any size, zero or more. Sizes of tensors overflow 64 bits long before they stop being meaningful
/// (tokens x width x width of a large step), and a size that is a rounded guess would be seen in traces.
class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value) {
    for (; value != 0; value >>= 32)
      limbs_.push_back(static_cast<std::uint32_t>(value));
  }

  bool is_zero() const noexcept { return limbs_.empty(); }

  /// Position of the highest bit, from 1; 0 for zero.
  std::size_t bit_length() const noexcept {
    if (limbs_.empty()) return 0;
    std::size_t bits = (limbs_.size() - 1) * 32;
    for (std::uint32_t top = limbs_.back(); top != 0; top >>= 1)
      ++bits;
    return bits;
  }

  friend Natural operator+(const Natural& a, const Natural& b) {
    const Natural& longer = a.limbs_.size() < b.limbs_.size() ? b : a;
    const Natural& shorter = a.limbs_.size() < b.limbs_.size() ? a : b;
    Natural sum = longer;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < sum.limbs_.size() && (carry != 0 || i < shorter.limbs_.size()); ++i) {
      carry += std::uint64_t{sum.limbs_[i]} + (i < shorter.limbs_.size() ? shorter.limbs_[i] : 0u);
      sum.limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) sum.limbs_.push_back(static_cast<std::uint32_t>(carry));
    return sum;
  }

  /// Requires a >= b.
  friend Natural operator-(const Natural& a, const Natural& b) {
    Natural difference = a;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < difference.limbs_.size(); ++i) {
      std::int64_t limb = std::int64_t{difference.limbs_[i]} - (i < b.limbs_.size() ? b.limbs_[i] : 0u) + borrow;
      borrow = limb < 0 ? -1 : 0;
      if (limb < 0) limb += std::int64_t{1} << 32;
      difference.limbs_[i] = static_cast<std::uint32_t>(limb);
    }
    difference.trim();
    return difference;
  }

  friend Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    if (a.is_zero() || b.is_zero()) return product;
    product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
        carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
        product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      product.limbs_[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
    }
    product.trim();
    return product;
  }

  friend Natural operator<<(const Natural& a, std::size_t bits) {
    Natural shifted;
    if (a.is_zero()) return shifted;
    shifted.limbs_.assign(bits / 32, 0);
    std::uint64_t carry = 0;
    for (std::uint32_t limb : a.limbs_) {
      carry |= std::uint64_t{limb} << (bits % 32);
      shifted.limbs_.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    if (carry != 0) shifted.limbs_.push_back(static_cast<std::uint32_t>(carry));
    return shifted;
  }

  friend bool operator<(const Natural& a, const Natural& b) {
    if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size();
    return std::lexicographical_compare(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(), b.limbs_.rend());
  }
  friend bool operator==(const Natural&, const Natural&) = default;

 private:
  void trim() {
    while (!limbs_.empty() && limbs_.back() == 0)
      limbs_.pop_back();
  }

  std::vector<std::uint32_t> limbs_; // least significant first, no zero at the top
};

/// An exact fraction. Not reduced: expressions are evaluated once each, and never deeply.
struct Rational {
  Natural numerator;
  Natural denominator{1};
  bool negative = false;

  friend Rational operator*(const Rational& a, const Rational& b) {
    return {a.numerator * b.numerator, a.denominator * b.denominator, a.negative != b.negative};
  }
  friend Rational operator+(const Rational& a, const Rational& b) {
    Natural left = a.numerator * b.denominator;
    Natural right = b.numerator * a.denominator;
    Natural below = a.denominator * b.denominator;
    if (a.negative == b.negative) return {left + right, std::move(below), a.negative};
    if (left < right) return {right - left, std::move(below), b.negative};
    return {left - right, std::move(below), a.negative};
  }
  /// Requires a value other than zero.
  Rational inverse() const { return {denominator, numerator, negative}; }

  /// The nearest number of 57 significant bits, then the nearest double to that, ties to even both times. The published
  /// generator rounds so, and its traces show it: 10051400/27 comes out as 372274.07407407404.
  double to_double() const {
    if (numerator.is_zero()) return 0;
    // Scaled so that the whole quotient has 59 or 60 bits; what is left over only says on which side of a tie we are.
    const auto exponent = 59 + static_cast<std::ptrdiff_t>(denominator.bit_length()) -
                          static_cast<std::ptrdiff_t>(numerator.bit_length());
    Natural above = exponent > 0 ? numerator << static_cast<std::size_t>(exponent) : numerator;
    const Natural below = exponent < 0 ? denominator << static_cast<std::size_t>(-exponent) : denominator;
    std::uint64_t quotient = 0;
    for (std::size_t bit = 61; bit-- > 0;) {
      Natural part = below << bit;
      if (above < part) continue;
      above = above - part;
      quotient |= std::uint64_t{1} << bit;
    }
    int dropped = 0;
    while (quotient >> dropped >= std::uint64_t{1} << 57)
      ++dropped;
    const std::uint64_t rest = quotient & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    std::uint64_t kept = quotient >> dropped;
    if (rest > half || (rest == half && (!above.is_zero() || (kept & 1) != 0))) ++kept;
    const double magnitude = std::ldexp(static_cast<double>(kept), static_cast<int>(dropped - exponent));
    return negative ? -magnitude : magnitude;
  }
};

} // namespace triosim::symbolic
