#include <triosim/error.hpp>
#include <triosim/symbolic/redistribution.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace triosim;
using namespace triosim::symbolic;

namespace {

struct Fixture {
  Pool pool;
  std::vector<SymbolId> axes;
  Fixture() {
    for (const char* name : {"dp", "tp", "cp"})
      axes.push_back(pool.expressions.symbol(name));
  }
  Layout layout(std::string_view shape, std::string_view partial = "1") {
    return {pool.shape({pool.parse(shape), pool.parse("D")}), pool.shape({pool.parse(partial)})};
  }
  std::string steps(Redistribution& redistribution, Layout from, Layout to) {
    std::string text;
    for (const AxisStep& step : redistribution(from, to))
      text += std::string{to_string(step.type)} + "(" + pool.expressions.name(axes[step.axis]) + ") ";
    return text;
  }
};

} // namespace

TEST_CASE("communication follows from how producer and consumer lie") {
  Fixture f;
  Redistribution all{f.pool, f.axes, {0, 1, 2}};
  const Layout whole = f.layout("S"), cut = f.layout("S/tp"), sum = f.layout("S", "F/tp");
  CHECK(f.steps(all, whole, whole).empty());
  CHECK(f.steps(all, whole, cut).empty());
  CHECK(f.steps(all, cut, whole) == "all-gather(tp) ");
  CHECK(f.steps(all, cut, f.layout("S/(cp*tp)")).empty()); // other axes do not change what is cut over tp
  CHECK(f.steps(all, cut, f.layout("T/tp")) == "all-to-all(tp) ");
  CHECK(f.steps(all, sum, whole) == "all-reduce(tp) ");
  CHECK(f.steps(all, sum, cut) == "reduce-scatter(tp) ");
  CHECK(f.steps(all, sum, sum).empty());
  CHECK_THROWS_AS(all(whole, sum), ConfigError);
  CHECK_THROWS_AS(all(cut, sum), ConfigError);
}

TEST_CASE("one step an axis, in the order of the axes, and none for axes of one rank") {
  Fixture f;
  const Layout sum = f.layout("S", "B*T/(dp*cp)"), whole = f.layout("S");
  Redistribution all{f.pool, f.axes, {0, 1, 2}};
  CHECK(f.steps(all, sum, whole) == "all-reduce(dp) all-reduce(cp) ");
  CHECK(f.steps(all, sum, f.layout("S/dp")) == "reduce-scatter(dp) all-reduce(cp) ");
  Redistribution context_only{f.pool, f.axes, {2}};
  CHECK(f.steps(context_only, sum, whole) == "all-reduce(cp) ");
  Redistribution one_rank{f.pool, f.axes, {}};
  CHECK(f.steps(one_rank, sum, whole).empty());
}
