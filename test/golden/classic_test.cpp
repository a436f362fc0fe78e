// Recorded runs of the published program against the classic rules, number for number.
#include "support/classic.hpp"
#include "support/shared.hpp"

#include <triosim/strategy/classic/data_parallel.hpp>
#include <triosim/strategy/classic/distributed_data_parallel.hpp>
#include <triosim/strategy/classic/pipeline_parallel.hpp>
#include <triosim/strategy/classic/single_device.hpp>
#include <triosim/strategy/classic/tensor_parallel.hpp>
#include <triosim/trace/csv.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace triosim;
namespace classic = strategy::classic;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> read_rows(const std::filesystem::path& file) {
  std::ifstream in{file};
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream text{line};
    for (std::string field; std::getline(text, field, ',');)
      fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> heading = split(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = split(line);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i == 0) rows.emplace_back();
      rows.back()[heading[i]] = fields[i];
    }
  }
  return rows;
}

template <class Net, class Strategy>
Time total(const Cluster& cluster, const Strategy& strategy, const Net& net, const Trace& trace) {
  return test::Classic<Strategy, Net>{cluster, strategy, {}, net}.run(trace).total;
}

Time play(const Row& row, const Trace& trace) {
  const auto number = [&](const char* column) { return std::stoi(row.at(column)); };
  const auto unsigned_number = [&](const char* column) { return static_cast<std::uint32_t>(number(column)); };
  const int kind = number("case");
  const strategy::Batch batch{unsigned_number("batch_size"), unsigned_number("batch_size_sim")};
  const Cluster cluster =
      classic::machine(unsigned_number("gpus"), Bandwidth{std::stod(row.at("bandwidth")) * 1e9},
                       Bandwidth{std::stod(row.at("ptp_bandwidth")) * 1e9},
                       kind == 4 ? classic::RingBandwidth::AsGiven : classic::RingBandwidth::ForAllReduce,
                       Bytes{std::uint64_t{1} << number("capacity")});
  const auto with = [&](const auto& strategy) {
    if (number("interconnects") == 1)
      return total(cluster, strategy, net::classic::Optical{cluster, number("numRows"), number("numCols")}, trace);
    return total(cluster, strategy, net::classic::ExactPacketSharing{cluster}, trace);
  };
  switch (kind) {
  case 1:
    return with(classic::DataParallel{batch});
  case 2:
    return with(classic::DistributedDataParallel{batch});
  case 3:
    return with(classic::TensorParallel{batch});
  case 4:
    return with(classic::PipelineParallel{batch, unsigned_number("micro_batch_size")});
  default:
    return with(classic::SingleDevice{batch});
  }
}

} // namespace

TEST_CASE("recorded runs of the published program come out to 1e-6, and those that got stuck are errors") {
  const auto runs = test::shared_folder("golden/triosim");
  const auto traces = test::shared_folder("data/trace");
  if (runs.empty() || traces.empty()) return;
  std::map<std::string, Trace> known;
  int compared = 0;
  for (const Row& row : read_rows(runs / "runs.csv")) {
    const std::string& expect = row.at("expect");
    if (expect != "time" && expect != "stuck") continue;
    CAPTURE(row.at("id"));
    const std::string& name = row.at("trace");
    if (!known.contains(name)) known[name] = trace::read_csv((traces / name).string());
    ++compared;
    if (expect == "stuck") {
      bool stuck = false;
      try {
        play(row, known[name]);
      } catch (const Deadlock&) {
        stuck = true;
      } catch (const OutOfMemory&) {
        stuck = true;
      }
      CHECK(stuck);
    } else {
      CHECK(play(row, known[name]).seconds() == doctest::Approx(std::stod(row.at("seconds"))).epsilon(1e-6));
    }
  }
  CHECK(compared > 300);
}
