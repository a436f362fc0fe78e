#include "support/given.hpp"
#include "support/wire.hpp"

#include <triosim/engine/serial.hpp>
#include <triosim/io/file.hpp>
#include <triosim/report/timeline.hpp>
#include <triosim/simulator.hpp>
#include <triosim/time_model/recorded.hpp>

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace triosim;
using namespace triosim::literals;

namespace {

using Sim = Simulator<engine::Serial, time_model::Recorded, test::Wire, test::Given>;

Operation work(std::string_view name, Time time, Stage stage = Stage::Forward) {
  Operation operation;
  operation.name = name;
  operation.recorded = time;
  operation.stage = stage;
  return operation;
}

rapidjson::Document parse(const std::string& text) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  REQUIRE(!json.HasParseError());
  return json;
}

// Picoseconds of a time in microseconds.
std::int64_t ps(const rapidjson::Value& microseconds) {
  return std::llround(microseconds.GetDouble() * 1e6);
}

struct Slice {
  std::int64_t start, end;
  std::string name;
  const rapidjson::Value* args;
};

struct Parsed {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> threads;
  std::map<std::uint64_t, std::string> processes;
  std::map<std::pair<std::uint64_t, std::string>, std::vector<Slice>> slices; // by process and name of the thread
  std::map<std::uint64_t, std::tuple<std::uint64_t, std::int64_t>> arrow_begins, arrow_ends;
  std::map<std::uint64_t, std::vector<std::pair<std::int64_t, std::uint64_t>>> levels;
  std::size_t marks = 0;

  explicit Parsed(const rapidjson::Document& json) {
    for (const auto& event : json["traceEvents"].GetArray()) {
      const std::string phase = event["ph"].GetString(), name = event["name"].GetString();
      const std::uint64_t pid = event["pid"].GetUint64(), tid = event["tid"].GetUint64();
      const std::int64_t at = ps(event["ts"]);
      if (phase == "M" && name == "thread_name") {
        CHECK(threads.emplace(std::pair{pid, tid}, event["args"]["name"].GetString()).second);
      } else if (phase == "M" && name == "process_name") {
        CHECK(processes.emplace(pid, event["args"]["name"].GetString()).second);
      } else if (phase == "X") {
        REQUIRE(threads.count({pid, tid}) == 1);
        slices[{pid, threads[{pid, tid}]}].push_back({at, at + ps(event["dur"]), name, &event["args"]});
      } else if (phase == "s") {
        CHECK(arrow_begins.emplace(event["id"].GetUint64(), std::tuple{pid, at}).second);
      } else if (phase == "f") {
        CHECK(arrow_ends.emplace(event["id"].GetUint64(), std::tuple{pid, at}).second);
      } else if (phase == "C") {
        levels[pid].emplace_back(at, event["args"]["bytes"].GetUint64());
      } else if (phase == "i") {
        ++marks;
      }
    }
  }

  void check_that_nothing_overlaps() const {
    for (const auto& thread : slices) {
      auto sorted = thread.second;
      std::sort(sorted.begin(), sorted.end(), [](const Slice& a, const Slice& b) {
        return std::pair{a.start, a.end} < std::pair{b.start, b.end};
      });
      for (std::size_t i = 1; i < sorted.size(); ++i)
        CHECK_MESSAGE(sorted[i - 1].end <= sorted[i].start, thread.first.second << ": " << sorted[i].name);
    }
  }
};

// Two stages of a pipeline with micro-batches, each of two ranks that add up gradients: all sorts of tasks.
TaskGraph pipeline() {
  Program first, second;
  std::vector<TaskId> last;
  for (std::uint32_t m = 0; m < 3; ++m) {
    last = {first.add_compute(work("forward", 10_us), last)};
    first.micro_batch(m);
    first.add_send("activations", {0, 1, m, 25_KB}, last); // slower than compute, so that sends overlap
    first.micro_batch(m);
  }
  std::vector<TaskId> back;
  for (std::uint32_t m = 0; m < 3; ++m) {
    const TaskId in = second.add_receive("activations", {0, -1, m, 25_KB});
    back = {second.add_compute(work("work", 7_us, Stage::Backward), std::array{in})};
    second.micro_batch(m);
  }
  for (Program* program : {&first, &second}) {
    const TaskId sum =
        program->add_collective("gradients", {CollectiveType::AllReduce, 1, 8_KB}, program == &first ? last : back);
    program->add_compute(work("step", 1_us, Stage::Optimizer), std::array{sum});
  }
  TaskGraph graph{4};
  graph.add_program(first);
  const auto other = graph.add_program(second);
  graph.assign(2, other);
  graph.assign(3, other);
  const std::vector<std::vector<std::uint32_t>> stages{{0, 2}, {1, 3}}, replicas{{0, 1}, {2, 3}};
  graph.add_group(Communicators::of("stages", 4, stages));
  graph.add_group(Communicators::of("replicas \"x\"", 4, replicas));
  return graph;
}

Cluster cluster(std::uint32_t ranks) {
  return Cluster{topology::Graph{ranks}};
}

} // namespace

TEST_CASE("a timeline is JSON in which nothing overlaps and the sums are those of the report") {
  std::string text;
  auto timeline = report::Timeline::to_text(text);
  const Report report = Sim{cluster(4)}.run(pipeline(), timeline);
  const rapidjson::Document json = parse(text);
  const Parsed parsed{json};
  parsed.check_that_nothing_overlaps();

  REQUIRE(parsed.processes.size() == 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    CHECK(parsed.processes.at(rank + 1) == "rank " + std::to_string(rank));
    std::int64_t compute = 0;
    for (const Slice& slice : parsed.slices.at({rank + 1, "compute"}))
      compute += slice.end - slice.start;
    CHECK(compute == report.ranks[rank].compute.picoseconds());
    // Whenever something of the rank is on the wires, a slice shows it.
    std::vector<std::pair<std::int64_t, std::int64_t>> wires;
    for (const auto& [thread, slices] : parsed.slices)
      if (thread.first == rank + 1 && thread.second != "compute")
        for (const Slice& slice : slices)
          wires.emplace_back(slice.start, slice.end);
    std::sort(wires.begin(), wires.end());
    std::int64_t covered = 0, until = 0;
    for (const auto& [start, end] : wires) {
      covered += std::max<std::int64_t>(0, end - std::max(start, until));
      until = std::max(until, end);
    }
    CHECK(covered ==
          (report.ranks[rank].exposed_communication + report.ranks[rank].overlapped_communication).picoseconds());
  }

  const auto& forward = parsed.slices.at({1, "compute"});
  CHECK(forward[1].name == "forward");
  CHECK(forward[1].start == (10_us).picoseconds());
  CHECK(forward[1].end == (20_us).picoseconds());
  CHECK((*forward[1].args)["task"].GetUint() == 2);
  CHECK((*forward[1].args)["micro_batch"].GetUint() == 1);
  // 10 to 35, 20 to 45, 30 to 55 us: three lanes.
  CHECK(parsed.slices.at({1, "sends"}).size() == 1);
  CHECK(parsed.slices.at({1, "sends (2)"}).size() == 1);
  CHECK(parsed.slices.at({1, "sends (3)"}).size() == 1);
  const Slice& send = parsed.slices.at({1, "sends"})[0];
  CHECK((*send.args)["to"].GetUint() == 2);
  CHECK((*send.args)["bytes"].GetUint() == 25'000);
  CHECK(parsed.slices.at({4, "receives (2)"})[0].end == (45_us).picoseconds());
  CHECK((*parsed.slices.at({4, "receives (2)"})[0].args)["from"].GetUint() == 1);
  const Slice& sum = parsed.slices.at({3, "group 1: replicas \"x\""})[0];
  CHECK(sum.name == "gradients");
  CHECK(std::string{(*sum.args)["type"].GetString()} == "all-reduce");
  CHECK((*sum.args)["members"].GetUint() == 2);

  // An arrow from each of six sends: it begins where a send does and ends within the slice of the receiver.
  REQUIRE(parsed.arrow_begins.size() == 6);
  REQUIRE(parsed.arrow_ends.size() == 6);
  for (const auto& [id, begin] : parsed.arrow_begins) {
    const auto [from, sent] = begin;
    const auto [to, arrived] = parsed.arrow_ends.at(id);
    CHECK(to == from + 2);
    CHECK(arrived == sent + 25'000'000 - 1'000);
  }

  CHECK(std::string{json["displayTimeUnit"].GetString()} == "ms");
  const auto& about = json["otherData"];
  CHECK(std::string{about["simulated_time_s"].GetString()} == "0.000071");
  CHECK(report.total == 71_us);
  CHECK(std::string{about["events_left_out"].GetString()} == "0");
  CHECK(std::string{about["events"].GetString()} == std::to_string(timeline.events()));
  CHECK(parsed.marks == 0);
}

TEST_CASE("too many events: the first ones are shown, the others counted") {
  std::string all;
  auto whole = report::Timeline::to_text(all);
  Sim{cluster(4)}.run(pipeline(), whole);
  for (std::uint64_t limit = 0; limit <= whole.events(); ++limit) {
    std::string text;
    auto timeline = report::Timeline::to_text(text, {limit});
    Sim{cluster(4)}.run(pipeline(), timeline);
    CHECK(timeline.events() <= limit);
    CHECK(timeline.events() + timeline.left_out() == whole.events());
    const rapidjson::Document json = parse(text);
    const Parsed parsed{json};
    parsed.check_that_nothing_overlaps();
    CHECK(parsed.arrow_begins.size() == parsed.arrow_ends.size());
    CHECK(parsed.marks == (limit < whole.events() ? 1 : 0));
    CHECK(std::string{json["otherData"]["events_left_out"].GetString()} == std::to_string(timeline.left_out()));
  }
}

TEST_CASE("some ranks only") {
  std::string text;
  auto timeline = report::Timeline::to_text(text, {1'000'000, 1});
  Sim{cluster(4)}.run(pipeline(), timeline);
  const rapidjson::Document json = parse(text);
  const Parsed parsed{json};
  CHECK(parsed.processes.size() == 1);
  CHECK(parsed.slices.at({1, "compute"}).size() == 4);
  CHECK(parsed.arrow_begins.empty());
  CHECK(std::string{json["otherData"]["ranks_shown"].GetString()} == "1");
}

TEST_CASE("odd names, times of a picosecond, tasks without time, reads of remote memory") {
  Program program;
  program.add_compute(work("a\"\\\n\x01\xff\xc0", Time{1}));
  program.add_compute(work("", Time{}));
  program.add_fetch("weights", 5_KB);
  topology::Graph graph{1};
  graph.add_memory();
  TaskGraph tasks{1};
  tasks.add_program(program);
  std::string text;
  auto timeline = report::Timeline::to_text(text);
  timeline.begin(tasks);
  timeline.memory_changed(0, 100_B, Time{});
  timeline.memory_changed(0, 200_B, Time{});
  timeline.memory_changed(0, 200_B, Time{7});
  timeline.memory_changed(0, 300_B, Time{8});
  timeline.task_started(0, 0, Time{});
  timeline.task_finished(0, 0, Time{1});
  timeline.task_started(0, 1, Time{1});
  timeline.task_finished(0, 1, Time{1});
  timeline.task_started(0, 2, Time{});
  timeline.message_sent({1, 0, 5_KB, 9}, Time{});
  timeline.message_sent({0, 1, 6_KB, 2}, Time{3});
  timeline.message_arrived({1, 0, 5_KB, 9}, 5_us);
  timeline.task_finished(0, 2, 5_us);
  timeline.message_arrived({0, 1, 6_KB, 2}, 6_us);
  timeline.end(6_us);
  const rapidjson::Document json = parse(text);
  const Parsed parsed{json};
  parsed.check_that_nothing_overlaps();
  const auto& compute = parsed.slices.at({1, "compute"});
  CHECK(compute[0].name == "a\"\\\n\x01\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(compute[0].end == 1);
  CHECK(compute[1].start == 1);
  CHECK(compute[1].end == 1);
  CHECK(parsed.slices.at({1, "remote memory"})[0].name == "weights");
  CHECK(parsed.slices.at({1, "remote memory (2)"})[0].name == "write to memory");
  CHECK(parsed.levels.at(1) == std::vector<std::pair<std::int64_t, std::uint64_t>>{{0, 200}, {8, 300}});
  CHECK_THROWS_WITH_AS(timeline.begin(tasks), "a timeline tells of one run; make another one for the next", Error);
}

TEST_CASE("into a file, plain or packed: the same text, and nothing where the run fails") {
  const auto folder = std::filesystem::temp_directory_path() / "triosim_timeline_test";
  std::filesystem::create_directories(folder);
  std::string text;
  auto in_text = report::Timeline::to_text(text);
  Sim{cluster(4)}.run(pipeline(), in_text);
  for (const char* name : {"step.json", "step.json.gz"}) {
    auto timeline = report::Timeline::to_file(folder / name);
    Sim{cluster(4)}.run(pipeline(), timeline);
    CHECK(io::read_file((folder / name).string()) == text);
  }
  CHECK(std::filesystem::file_size(folder / "step.json.gz") < text.size() / 2);
  {
    Program program;
    program.add_receive("never", {0, 1, 0, 1_B});
    TaskGraph graph{2};
    graph.add_program(program);
    graph.add_group(Communicators::world(2));
    auto timeline = report::Timeline::to_file(folder / "failed.json");
    CHECK_THROWS_AS(Sim{cluster(2)}.run(graph, timeline), Deadlock);
  }
  CHECK(std::distance(std::filesystem::directory_iterator{folder}, {}) == 2);
  std::filesystem::remove_all(folder);
  CHECK_THROWS_AS(report::Timeline::to_file(folder / "absent" / "step.json"), Error);
}

TEST_CASE("many events pass through the buffer") {
  Program program;
  std::vector<TaskId> last;
  for (int i = 0; i < 5'000; ++i)
    last = {program.add_compute(work("task", 1_us), last)};
  TaskGraph graph{1};
  graph.add_program(program);
  const auto path = std::filesystem::temp_directory_path() / "triosim_timeline_many.json.gz";
  auto timeline = report::Timeline::to_file(path);
  Sim{cluster(1)}.run(graph, timeline);
  const rapidjson::Document json = parse(io::read_file(path.string()));
  CHECK(Parsed{json}.slices.at({1, "compute"}).size() == 5'000);
  std::filesystem::remove(path);
}
