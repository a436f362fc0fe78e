#include <triosim/error.hpp>
#include <triosim/symbolic/pool.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace triosim;
using namespace triosim::symbolic;

TEST_CASE("an expression has one canonical text") {
  Pool pool;
  const auto text = [&](std::string_view given) { return to_text(pool.expressions, pool.parse(given)); };
  CHECK(text("Seq/cp/tp") == "Seq/(cp*tp)");
  CHECK(text("3*Head/tp") == "3*Head/tp");
  CHECK(text("Dmodel*Dmodel") == "Dmodel**2");
  CHECK(text("Head/tp + 2*KVHead/tp") == "Head/tp + 2*KVHead/tp");
  CHECK(text("(2*KVHead + Head)/tp") == "(Head + 2*KVHead)/tp");
  CHECK(text("Dmodel*(Dmodel/Head)*((Head + 2*KVHead)/tp)") == "Dmodel**2*(Head + 2*KVHead)/(Head*tp)");
  CHECK(text("(2*Dff*Dmodel/tp + 4*Dmodel**2/tp)/dp") == "(2*Dff*Dmodel/tp + 4*Dmodel**2/tp)/dp");
  CHECK(text("Dmodel*KExperts/ep + Dmodel**2*(Head + 2*KVHead)/(Head*tp) + Dmodel**2/tp + 4*Dff*Dmodel/tp") ==
        "4*Dff*Dmodel/tp + Dmodel**2/tp + Dmodel**2*(Head + 2*KVHead)/(Head*tp) + Dmodel*KExperts/ep");
  CHECK(text("a/a") == "1");
  CHECK(text("a - a") == "0");
  CHECK(text("1/tp") == "1/tp");
  CHECK(text("2*3/4") == "3/2");
  CHECK(text("a + 1 - 3*b") == "a - 3*b + 1");
  CHECK(text("2*(a + b)") == "2*a + 2*b");
  CHECK(text("2*(a + b)/c") == "(2*a + 2*b)/c");
  CHECK(text("(-2*a + 4*b)*d") == "-2*d*(a - 2*b)");
  CHECK(text("(a/2 + b/3)/c") == "(3*a + 2*b)/(6*c)");
  CHECK(text("(a + b)*(a + b)/(a + b)") == "a + b");
  CHECK(text("a**-2") == "1/a**2");
  CHECK(text("-a*-1") == "a");
}

TEST_CASE("equal expressions are one expression") {
  Pool pool;
  CHECK(pool.parse("Seq/(cp*tp)") == pool.parse("Seq / tp / cp"));
  CHECK(pool.parse("x + y + x") == pool.parse("2*x + y"));
  CHECK(pool.parse("(x + y)/z") == pool.parse("(y + x)/z"));
  CHECK(pool.parse("(x + y)/z") != pool.parse("x/z + y/z")); // nothing is expanded
}

TEST_CASE("the text of an expression reads back as the expression") {
  std::mt19937 random{11};
  Pool pool;
  const char* names[] = {"a", "B", "tp", "Seq"};
  for (int i = 0; i < 500; ++i) {
    ExprId made = pool.expressions.of(names[random() % 4]);
    for (unsigned step = 0; step < random() % 12; ++step) {
      const ExprId other =
          random() % 3 == 0 ? pool.expressions.number(1 + random() % 5) : pool.expressions.of(names[random() % 4]);
      switch (random() % 4) {
      case 0:
        made = pool.expressions.add(made, other);
        break;
      case 1:
        made = pool.expressions.multiply(made, other);
        break;
      case 2:
        made = pool.expressions.divide(made, other);
        break;
      default:
        made = pool.expressions.subtract(made, other);
        break;
      }
    }
    const std::string text = to_text(pool.expressions, made);
    CHECK_MESSAGE(pool.parse(text) == made, text);
  }
}

TEST_CASE("values agree with arithmetic, and substitution with values") {
  Pool pool;
  Sizes sizes;
  sizes.set(pool.expressions.symbol("Seq"), 1024);
  sizes.set(pool.expressions.symbol("cp"), 3);
  sizes.set(pool.expressions.symbol("tp"), 2);
  const auto value = [&](std::string_view text) {
    return pool.expressions.evaluate(pool.parse(text), sizes).to_double();
  };
  CHECK(value("Seq/(cp*tp)*cp") == 512);
  CHECK(value("Seq*Seq - tp**10") == 1024 * 1023);
  CHECK(value("tp - cp") == -1);
  CHECK(value("(Seq + cp)/(tp + 1)") == doctest::Approx(1027.0 / 3));
  CHECK_THROWS_WITH_AS(value("Width/2"), "Width: found \"nothing\", expected a size, as the model uses it",
                       ConfigError);
  CHECK_THROWS_AS(value("Seq/(tp - 2)"), ConfigError);

  const Substitution swap{{pool.expressions.symbol("cp"), pool.expressions.of("tp")},
                          {pool.expressions.symbol("tp"), pool.expressions.of("cp")}};
  CHECK(pool.expressions.substitute(pool.parse("cp/tp + 2*cp"), swap) == pool.parse("tp/cp + 2*tp"));
  const Substitution one{{pool.expressions.symbol("fsdp"), pool.expressions.number(1)}};
  CHECK(pool.expressions.substitute(pool.parse("(a + b)/fsdp"), one) == pool.parse("a + b"));
}

TEST_CASE("what is no expression is refused with its column") {
  Pool pool;
  CHECK_THROWS_WITH_AS(pool.parse("Seq/"),
                       "expression: found \"Seq/\", expected a number, a name or an opening parenthesis at column 5",
                       ConfigError);
  for (const char* text : {"", "(a", "a b", "a**b", "a**65", "3x", "1/0", "1/(a - a)", "99999999999999999999", "a $ b",
                           "9223372036854775807*9223372036854775807", "a**64*(b**2)**63"})
    CHECK_THROWS_AS_MESSAGE(pool.parse(text), ConfigError, text);
  CHECK_THROWS_AS(pool.parse(std::string(100'000, '(')), ConfigError);
}
