#pragma once

#include "triosim/concepts.hpp"
#include "triosim/operation.hpp"
#include "triosim/units.hpp"

#include <optional>
#include <tuple>
#include <utility>

namespace triosim::time_model {

/// The answer of the first model that knows the operation: a table of measurements before a formula, say.
template <class... Model>
class FirstOf {
  static_assert((TimeModelPolicy<Model> && ...),
                "triosim: FirstOf must be given time-model policies, each copyable and "
                "with a const duration(const Operation&) that gives "
                "std::optional<Time>; see triosim/concepts.hpp");

 public:
  FirstOf() = default;
  explicit FirstOf(Model... models) requires(sizeof...(Model) > 0) : models_{std::move(models)...} {}

  std::optional<Time> duration(const Operation& operation) const {
    std::optional<Time> answer;
    std::apply(
        [&](const Model&... model) { static_cast<void>(((answer = model.duration(operation)).has_value() || ...)); },
        models_);
    return answer;
  }

 private:
  std::tuple<Model...> models_;
};

} // namespace triosim::time_model
