// The laws of TimeModelPolicy, put to every model that ships. A new model is one more line in `each_model`.
#include "support/archetypes.hpp"

#include <triosim/concepts.hpp>
#include <triosim/operation.hpp>
#include <triosim/time_model/constant.hpp>
#include <triosim/time_model/first_of.hpp>
#include <triosim/time_model/recorded.hpp>
#include <triosim/time_model/scaled.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

using namespace triosim;
using namespace triosim::literals;

namespace {

template <TimeModelPolicy Model>
std::optional<Time> ask(const Model& model, const Operation& operation) {
  return model.duration(operation);
}

// Calls `visit(name, model)` for each. `knows_all`: has an answer to every question.
template <class Visit>
void each_model(Visit&& visit) {
  visit("recorded", time_model::Recorded{}, false);
  visit("scaled", time_model::Scaled{}, false);
  visit("scaled, a fixed part", time_model::Scaled{0.3}, false);
  visit("scaled, all fixed", time_model::Scaled{1.0}, false);
  visit("constant", time_model::Constant{7_us}, true);
  visit("constant zero", time_model::Constant{}, true);
  visit("first of none", time_model::FirstOf<>{}, false);
  visit("first of two", time_model::FirstOf{time_model::Recorded{}, time_model::Scaled{0.5}}, false);
  visit("first of a first", time_model::FirstOf{time_model::FirstOf<>{}, time_model::Constant{1_ns}}, true);
  visit("archetype", test::archetypes::TimeModel{1_us}, true);
}

// Any operation, with odd ones among them: no record, nothing to do, a tiny share.
Operation any_operation(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 4> names{"", "conv2d", "mm", "a name, with \"quotes\""};
  constexpr std::array shares{1.0, 0.5, 1.0 / 3, 1e-9, 0.0};
  constexpr std::array batches{1.0, 1.0, 2.0, 0.25, 1e-6};
  Operation operation;
  operation.name = names[random() % names.size()];
  operation.stage = static_cast<Stage>(random() % 3);
  if (random() % 4 != 0) operation.recorded = Time{static_cast<std::int64_t>(random() >> (20 + random() % 44))};
  operation.share = shares[random() % shares.size()];
  operation.batch_ratio = batches[random() % batches.size()];
  operation.flops = Flops{static_cast<double>(random() % 1'000'000'000'000)};
  operation.bytes = Bytes{random() % 1'000'000'000};
  return operation;
}

constexpr int draws = 20'000;

} // namespace

TEST_CASE("no time is negative, and a question asked twice has one answer, also from a copy") {
  each_model([](std::string_view name, const auto& model, bool) {
    CAPTURE(name);
    const auto copy = model;
    std::mt19937_64 random{1};
    for (int i = 0; i < draws; ++i) {
      const Operation operation = any_operation(random);
      const auto time = ask(model, operation);
      if (time) CHECK(*time >= Time{});
      CHECK(ask(model, operation) == time);
      CHECK(ask(copy, operation) == time);
    }
  });
}

TEST_CASE("more work never takes less time") {
  each_model([](std::string_view name, const auto& model, bool) {
    CAPTURE(name);
    std::mt19937_64 random{2};
    for (int i = 0; i < draws; ++i) {
      const Operation operation = any_operation(random);
      Operation more = operation;
      switch (random() % 4) {
      case 0:
        more.share = operation.share + static_cast<double>(random() % 100) / 100 * (1 - operation.share);
        break;
      case 1:
        more.batch_ratio *= 1 + static_cast<double>(random() % 1'000) / 100;
        break;
      case 2:
        more.flops = more.flops * (1 + static_cast<double>(random() % 1'000) / 100);
        break;
      default:
        more.bytes += Bytes{random() % 1'000'000};
      }
      const auto time = ask(model, operation), longer = ask(model, more);
      if (time && longer) CHECK(*longer >= *time);
    }
  });
}

TEST_CASE("an operation of which nothing is known has no time, unless the model knows all") {
  each_model([](std::string_view name, const auto& model, bool knows_all) {
    CAPTURE(name);
    CHECK(ask(model, Operation{}).has_value() == knows_all);
    std::mt19937_64 random{3};
    for (int i = 0; i < draws && knows_all; ++i)
      CHECK(ask(model, any_operation(random)).has_value());
  });
}

TEST_CASE("all of the trace's batch on one rank takes what was recorded, for models that go by the record") {
  const auto check = [](std::string_view name, const auto& model) {
    CAPTURE(name);
    std::mt19937_64 random{4};
    for (int i = 0; i < draws; ++i) {
      Operation operation = any_operation(random);
      operation.share = operation.batch_ratio = 1;
      operation.recorded = Time{static_cast<std::int64_t>(random() >> (11 + random() % 50))};
      CHECK(ask(model, operation) == operation.recorded);
    }
  };
  check("recorded", time_model::Recorded{});
  check("scaled", time_model::Scaled{});
  check("scaled, a fixed part", time_model::Scaled{0.3});
}
