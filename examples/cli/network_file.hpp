#pragma once

#include <triosim/error.hpp>
#include <triosim/excerpt.hpp>
#include <triosim/nearest.hpp>
#include <triosim/player/streams/settings.hpp>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace triosim::cli {

/// ASTRA-sim's network file: four lists of one length, an entry for each dimension. Bandwidths are called GB/s and
/// taken as 2^30 bytes a second, latencies are nanoseconds. Throws `TraceError`.
inline std::vector<player::streams::Dimension> parse_network(const std::string& text, const std::string& file) {
  using player::streams::Dimension;
  static constexpr std::string_view keys[] = {"topology", "npus_count", "bandwidth", "latency"};
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw TraceError::at_line(file, error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.line) + 1, "",
                              "is no YAML: " + error.msg);
  }
  const auto problem = [&](const YAML::Node& node, const std::string& field, const std::string& what) {
    const YAML::Mark mark = node.Mark();
    return TraceError::at_line(file, mark.is_null() ? 0 : static_cast<std::size_t>(mark.line) + 1, field, what);
  };
  if (!root.IsMap()) throw problem(root, "", "found no keys, expected topology, npus_count, bandwidth and latency");
  for (const auto& entry : root) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys))
      throw problem(entry.first, "",
                    "found the key " + excerpt(key) + ", expected topology, npus_count, bandwidth and latency" +
                        did_you_mean(key, keys));
  }
  std::vector<Dimension> dimensions;
  for (std::size_t k = 0; k < std::size(keys); ++k) {
    const std::string key{keys[k]};
    const YAML::Node list = root[key];
    if (!list) throw problem(root, "", "found no " + key + ", expected topology, npus_count, bandwidth and latency");
    if (!list.IsSequence() || list.size() == 0)
      throw problem(list, key, "expected a list with an entry for each dimension");
    if (k == 0) dimensions.resize(list.size());
    if (list.size() != dimensions.size())
      throw problem(list, key,
                    "found " + std::to_string(list.size()) + " entries, expected " + std::to_string(dimensions.size()) +
                        " as in topology");
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const YAML::Node value = list[i];
      const std::string field = key + "[" + std::to_string(i) + "]";
      const std::string found = value.IsScalar() ? value.Scalar() : "";
      Dimension& dimension = dimensions[i];
      const auto refuse = [&](const char* expected) {
        throw problem(value, field, "found " + excerpt(found) + ", expected " + expected);
      };
      try {
        if (k == 0) {
          if (found == "Ring")
            dimension.shape = Dimension::Shape::Ring;
          else if (found == "Switch")
            dimension.shape = Dimension::Shape::Switch;
          else if (found == "FullyConnected")
            dimension.shape = Dimension::Shape::FullyConnected;
          else
            refuse("Ring, Switch or FullyConnected");
        } else if (k == 1) {
          const long long size = value.as<long long>();
          if (size < 1 || size > (1 << 24)) refuse("a whole number from 1 to 16777216");
          dimension.size = static_cast<std::uint32_t>(size);
        } else if (k == 2) {
          const double gigabytes = value.as<double>();
          if (!(gigabytes > 0 && gigabytes < 1e12)) refuse("GB/s, more than 0");
          dimension.bytes_per_ns = gigabytes * (std::uint64_t{1} << 30) / 1e9;
        } else {
          dimension.latency_ns = value.as<double>();
          if (!(dimension.latency_ns >= 0 && dimension.latency_ns < 1e12)) refuse("nanoseconds, 0 or more");
        }
      } catch (const YAML::Exception&) {
        refuse(k == 1 ? "a whole number" : "a number");
      }
    }
  }
  std::uint64_t ranks = 1;
  for (const Dimension& dimension : dimensions)
    if ((ranks *= dimension.size) > (1u << 24))
      throw problem(root["npus_count"], "npus_count", "found more than 16777216 ranks in all, expected fewer");
  return dimensions;
}

} // namespace triosim::cli
