#include <triosim/trace/csv.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace triosim;
using namespace triosim::literals;
using namespace triosim::trace;
namespace fs = std::filesystem;

namespace {

const std::string tensor_header =
    "Index,TensorID,TensorShape,TensorNumElement,TensorEachByte,TensorType,TensorStorgeid,gpuid\n";
const std::string layer_header = "OperatorID,OperatorName,Operator_input,Operator_output,Operator_cudatime,"
                                 "Operator_cudatimenooverlap,InputSize,OutputSize,gpuid,stage,tpflag\n";
const std::string tensors = tensor_header + "0,a,\"[2, 3]\",6,4,weight,7,0\n"
                                            "1,b,[4],4,8,bias=None,8,0\n"
                                            "2,a,\"[2, 3]\",6,4,input,7,0\n";

Trace read(const std::string& tensor_text, const std::string& layer_text) {
  std::istringstream tensor_stream{tensor_text}, layer_stream{layer_text};
  return read_csv(tensor_stream, layer_stream);
}

Trace read_rows(const std::string& rows) {
  return read(tensors, layer_header + rows);
}

std::string refusal(const std::string& tensor_text, const std::string& layer_text) {
  try {
    read(tensor_text, layer_text);
  } catch (const TraceError& e) {
    return e.what();
  }
  return "accepted";
}

std::string refused_row(const std::string& row) {
  return refusal(tensors, layer_header + row);
}

struct TemporaryDirectory {
  TemporaryDirectory() : path{fs::temp_directory_path() / ("triosim-trace-test-" + std::to_string(::rand()))} {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~TemporaryDirectory() { fs::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  fs::path path;
};

// Recorded data that may lie beside the checkout.
fs::path shared() {
  const char* given = std::getenv("TRIOSIM_SHARED");
  return given != nullptr ? fs::path{given} : fs::path{TRIOSIM_SOURCE_DIR}.parent_path() / "shared";
}

} // namespace

TEST_CASE("a row is read by position: lists, durations, stage, flag") {
  const Trace t = read_rows("5,op,[a; b; a],[b],12,10.5,[6; 4; 6],[4],0,backward,1\n");
  REQUIRE(t.layers().size() == 1);
  const Layer& layer = t.layer(0);
  CHECK(layer.id == 5);
  CHECK(layer.name == "op");
  CHECK(layer.inputs.size() == 3);
  CHECK(t.tensor(layer.inputs[2]).name == "a");
  CHECK(layer.time == 10'500_ns);
  CHECK(layer.microseconds == 10.5);
  CHECK(layer.span_microseconds == 12);
  CHECK(layer.stage == Stage::Backward);
  CHECK(layer.tensor_parallel);
  CHECK(layer.sizes_complete);
  const Tensor& a = t.tensor(layer.inputs[0]);
  CHECK(a.bytes == 24_B);
  CHECK(a.type == TensorType::Input);
  CHECK(a.types.contains(TensorType::Weight));
  CHECK(a.shape.size() == 2);
  CHECK(t.storage_name(a.storage) == "7");
  CHECK(t.tensor(layer.inputs[1]).type == TensorType::Bias);
}

TEST_CASE("odd but sound files read as their plain twin") {
  const std::string row = "1,op,[a; b],[b],3,2,[6; 4],[4],0,forward,0";
  const Trace plain = read_rows(row + "\n");
  const auto crlf = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\r');
    return text;
  };
  CHECK(plain == read_rows(row));                                                      // no newline at the end
  CHECK(plain == read(crlf(tensors), crlf(layer_header + row + "\n")));                // CRLF
  CHECK(plain == read(tensors, crlf(layer_header) + row + "\r"));                      // a lone CR at the end
  CHECK(plain == read("\xEF\xBB\xBF" + tensors, "\xEF\xBB\xBF" + layer_header + row)); // byte-order marks
  CHECK(plain == read("\n\n" + tensors + "\r\n\n", "\n" + layer_header + "\n\r\n" + row + "\n\n")); // blank lines
  CHECK(plain == read_rows(" 1,\top,['a';'b'],b,3,+2,\"[ 6 ;4]\",4,7,forward,2")); // blanks, quotes, no brackets
  CHECK_FALSE(plain == read_rows("1,\"op\",\"[a;b]\",[b],,2e0,6;4,[4],0,\"forward\",-1")); // the span differs
  CHECK(plain == read_rows("1,\"op\",\"[a;b]\",[b],3,2e0,6;4,[4],0,\"forward\",-1"));
  std::string wide_tensors =
      "i,t,s,n,e,k,st,g,x\n0,a,\"[2, 3]\",6,4,weight,7,0,\n1,b,[4],4,8,bias,8,0,\"\"\n2,a,\"[2, 3]\",6,4,input,7,0,q";
  CHECK(plain == read(wide_tensors, "a,b,c,d,e,f,g,h,i,j,k,l\n" + row + ",extra\n"));
}

TEST_CASE("a record may span lines, hold doubled quotes and be longer than the buffer") {
  const Trace t = read_rows("1,\"two\nlines, \"\"quoted\"\"\",,[],1,1,,,0,forward,0\n2,op,[],[],1,1,[],[],0,forward,0");
  CHECK(t.layer(0).name == "two\nlines, \"quoted\"");
  CHECK(t.layer(0).inputs.empty());
  CHECK(t.layer(1).id == 2);
  std::string names, sizes;
  for (int i = 0; i < 300'000; ++i) {
    names += i == 0 ? "a" : ";a";
    sizes += i == 0 ? "6" : ";6";
  }
  const Trace big =
      read_rows("1,op,[" + names + "],[]," + "1,1,[" + sizes + "],[],0,forward,0\n2,x,[],[],1,1,[],[],0,forward,0");
  CHECK(big.layer(0).inputs.size() == 300'000);
  CHECK(big.layer(1).name == "x");
  CHECK(refused_row("1,\"a\n\nb\",[],[],1,1,[],[],0,forward,0\n2,x,[],[],y,1,[],[],0,forward,0") ==
        "trace.csv:5: Operator_cudatime: found \"y\", expected a duration in microseconds, 0 to 4.6e12");
}

TEST_CASE("short lists of sizes are accepted and noted") {
  CHECK_FALSE(read_rows("1,op,[a; b],[b],3,2,[6],[4],0,forward,0").layer(0).sizes_complete);
  CHECK_FALSE(read_rows("1,op,[a; b],[b],3,2,[6; 4],[],0,forward,0").layer(0).sizes_complete);
  CHECK(read_rows("1,op,[a; b],[b],3,2,[6; 4; 1],[4],0,forward,0").layer(0).sizes_complete);
}

TEST_CASE("what is wrong is named: file, line, field, found, expected") {
  CHECK(refused_row("x,op,[a],[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: OperatorID: found \"x\", expected an integer");
  CHECK(refused_row("1,op,\"[a, b]\",[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: Operator_input: found \"a,b\", expected ids of tensor.csv separated by semicolons");
  CHECK(refused_row("1,op,[a; ],[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: Operator_input: found nothing, expected ids of tensor.csv separated by semicolons");
  CHECK(refused_row("1,op,[a,[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: Operator_input: found \"[a\", expected a list such as [4; 6; 8]");
  CHECK(refused_row("1,op,[,[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: Operator_input: found \"[\", expected a list such as [4; 6; 8]");
  CHECK(refused_row("1,op,[a],[nobody],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: Operator_output: found \"nobody\", expected ids of tensor.csv separated by semicolons");
  for (const char* time : {"", "abc", "NaN", "nan", "Inf", "-Inf", "-5", "1e300", "1e999", "5 ", "0x10", "1,5"})
    CHECK(refused_row(std::string{"1,op,[a],[b],3,"} + time + ",[6],[4],0,forward,0") != "accepted");
  CHECK(refused_row("1,op,[a],[b],3,-5,[6],[4],0,forward,0") ==
        "trace.csv:2: Operator_cudatimenooverlap: found \"-5\", expected a duration in microseconds, 0 to 4.6e12");
  CHECK(refused_row("1,op,[a],[b],3,2,[x],[4],0,forward,0") ==
        "trace.csv:2: InputSize: found \"x\", expected numbers of elements separated by semicolons");
  CHECK(refused_row("1,op,[a],[b],3,2,[6],[4],gpu,forward,0") ==
        "trace.csv:2: gpuid: found \"gpu\", expected an integer");
  CHECK(refused_row("1,op,[a],[b],3,2,[6],[4],0,Forward,0") ==
        "trace.csv:2: stage: found \"Forward\", expected forward, backward or optimizer");
  CHECK(refused_row("1,op,[a],[b],3,2,[6],[4],0,forward,") == "trace.csv:2: tpflag: found nothing, expected 0 or 1");
  CHECK(refused_row("1,op,[a],[b],3,2,[6],[4],0,forward") ==
        "trace.csv:2: row: found 10 columns, expected 11 as in the header");
  CHECK(refused_row("1,op,[a],[b],3,2,[6],[4],0,forward,0,1") ==
        "trace.csv:2: row: found 12 columns, expected 11 as in the header");
  CHECK(refused_row("1,o\"p,[a],[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: field 2: found a quote within a field, expected quotes around the whole field");
  CHECK(refused_row("1,\"o\"p,[a],[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:2: field 2: found text after a closing quote, expected a comma or the end of the line");
  CHECK(refused_row("1,\"op,[a],[b],3,2,[6],[4],0,forward,0\n") ==
        "trace.csv:2: field 2: found the end of the file within quotes, expected a closing quote");
  CHECK(refused_row("") == "trace.csv: found no layers, expected at least one row");
  CHECK(refusal(tensors, "") == "trace.csv: found nothing, expected a header and rows");
  CHECK(refusal(tensors, "\n\n") == "trace.csv: found nothing, expected a header and rows");
  CHECK(refusal("", "") == "tensor.csv: found nothing, expected a header and rows");
  CHECK(refusal(tensors, "1,op,[a],[b],3,2,[6],[4],0,forward,0") ==
        "trace.csv:1: header: found a row of data, expected a line of column names");
  CHECK(refusal("a,b\n", "") == "tensor.csv:1: header: found 2 columns, expected at least 8, Index to gpuid");
}

TEST_CASE("tensors: sizes are whole, not negative and can be counted") {
  const auto row = [](const std::string& elements, const std::string& each) {
    return refusal(tensor_header + "0,a,[]," + elements + "," + each + ",input,0,0\n", layer_header);
  };
  CHECK(row("1e6", "4") ==
        "tensor.csv:2: TensorNumElement: found \"1e6\", expected a number of elements, 0 to 9223372036854775807");
  CHECK(row("-1", "4") ==
        "tensor.csv:2: TensorNumElement: found \"-1\", expected a number of elements, 0 to 9223372036854775807");
  CHECK(row("99999999999999999999", "4").starts_with("tensor.csv:2: TensorNumElement: found \"99999999999999999999\""));
  CHECK(row("9223372036854775807", "4") ==
        "tensor.csv:2: TensorNumElement: found \"9223372036854775807\", expected a size of at most 4 EiB");
  CHECK(row("1", "-4").starts_with("tensor.csv:2: TensorEachByte: found \"-4\""));
  CHECK(row("9223372036854775807", "0") == "trace.csv: found no layers, expected at least one row");
  CHECK(refusal(tensor_header + "0,,[],1,4,input,0,0\n", layer_header) ==
        "tensor.csv:2: TensorID: found nothing, expected the id of a tensor");
  CHECK(refusal(tensor_header + "x,a,[],1,4,input,0,0\n", layer_header) ==
        "tensor.csv:2: Index: found \"x\", expected an integer");
  std::string many = "[a";
  for (int i = 0; i < 8; ++i)
    many += ";a";
  CHECK(refusal(tensor_header + "0,a,[],576460752303423488,1,input,0,0\n",
                layer_header + "1,op," + many + "],[],1,1,[],[],0,forward,0") ==
        "trace.csv:2: tensors of layer 1: found \"5188146770730811392 bytes so far\", expected at most 4 EiB in all "
        "layers together");
}

TEST_CASE("a message stays on one line whatever the file holds") {
  const std::string message = refused_row(std::string("\"1\n\0\x80", 5) + "\",op,[a],[b],3,2,[6],[4],0,forward,0");
  CHECK(message == "trace.csv:2: OperatorID: found \"1\\x0a\\x00\\x80\", expected an integer");
  CHECK(refused_row(std::string(1000, 'z') + ",op,[a],[b],3,2,[6],[4],0,forward,0").size() < 120);
}

TEST_CASE("what is written is read back equal") {
  const Trace odd = read(tensor_header + "0,a,\"[2, 3]\",6,4,weight,7,0\n1,u v,nonsense,4,8,\"we, ird\",,0\n"
                                         "2,\"q,\"\"\",[1],1,4,grad,\"st,1\",0\n3,a,\"[2, 3]\",6,4,mask,9,0\n",
                         layer_header + "7,\" lead, \"\"quote\"\"\r\n\",[a;a],[],0.1,1e-7,[6;6],[],0,optimizer,1\n"
                                        "-3,,[a],[a],4.6e12,123456789.125,[6],[],3,forward,5\n");
  TemporaryDirectory directory;
  write_csv(odd, directory.path / "new" / "deep");
  const Trace again = read_csv(directory.path / "new" / "deep");
  CHECK(again == odd);
  CHECK(again.layer(0).name == " lead, \"quote\"\r\n");
  CHECK_FALSE(again.layer(1).sizes_complete);
  CHECK(tensor_csv(again) == tensor_csv(odd));
  CHECK(layer_csv(again) == layer_csv(odd));
  write_csv(odd, directory.path / "new" / "deep"); // over what is there
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator{directory.path / "new" / "deep"})
    ++files;
  CHECK(files == 2);
}

TEST_CASE("what the format cannot hold is not written") {
  TemporaryDirectory directory;
  CHECK_THROWS_WITH_AS(write_csv(Trace{}, directory.path),
                       "trace: found \"no layers\", expected at least one layer to write", ConfigError);
  TraceBuilder builder;
  const std::vector<TensorIndex> list{builder.tensor({.name = "a b", .elements = 1})};
  builder.layer({.id = 1, .name = "op", .inputs = list});
  CHECK_THROWS_AS(write_csv(builder.build(), directory.path), ConfigError);
  CHECK(fs::is_empty(directory.path));
  std::ofstream{directory.path / "file"} << "not a directory";
  CHECK_THROWS_AS(write_csv(read_rows("1,op,[a],[],1,1,[6],[],0,forward,0"), directory.path / "file"), TraceError);
}

TEST_CASE("files that are not there") {
  TemporaryDirectory directory;
  const std::string tensor_file = (directory.path / "tensor.csv").string();
  CHECK_THROWS_WITH_AS(read_csv(directory.path / "nobody"),
                       doctest::Contains("nobody/tensor.csv: cannot be opened: No such file or directory"), TraceError);
  fs::create_directories(tensor_file);
  std::ofstream{directory.path / "trace.csv"} << layer_header;
  CHECK_THROWS_WITH_AS(read_csv(directory.path), (tensor_file + ": cannot be read").c_str(), TraceError);
}

TEST_CASE("recorded traces: sizes and sums as published, and a round trip") {
  const fs::path data = shared() / "data" / "trace";
  if (!fs::exists(data)) {
    MESSAGE("skipped: no recorded traces at " << data.string());
    return;
  }
  const Trace vgg13 = read_csv(data / "h100-bs128-vgg13");
  CHECK(vgg13.layers().size() == 77);
  CHECK(vgg13.tensors().size() == 275);
  CHECK(vgg13.layer_count(Stage::Forward) == 35);
  CHECK(vgg13.layer_count(Stage::Backward) == 35);
  CHECK(vgg13.layer_count(Stage::Optimizer) == 7);
  CHECK(vgg13.time() == 94'038_us);
  CHECK(vgg13.time(Stage::Forward) == 28'105_us);
  CHECK(vgg13.ids_ascend());
  const Trace resnet50 = read_csv(data / "h100-bs128-resnet50");
  CHECK(resnet50.layers().size() == 396);
  CHECK(resnet50.tensors().size() == 1830);
  CHECK(resnet50.time() == 70'723_us);
  TemporaryDirectory directory;
  for (const Trace& trace : {vgg13, resnet50}) {
    write_csv(trace, directory.path);
    CHECK(read_csv(directory.path) == trace);
  }
}

// Each recorded run says what the published program made of a broken folder: `time` it must be accepted, `reject` it
// must not. The rows below are refused for the strategy they ask for, not for the trace.
TEST_CASE("recorded broken traces are accepted and refused as they must be") {
  const fs::path data = shared() / "data" / "trace", runs = shared() / "golden" / "triosim" / "runs.csv";
  if (!fs::exists(data) || !fs::exists(runs)) {
    MESSAGE("skipped: no recorded runs at " << runs.string());
    return;
  }
  std::map<std::string, std::set<std::string>> expected;
  std::ifstream in{runs};
  CsvRecords records{in, runs.string()};
  REQUIRE(records.next());
  while (records.next())
    if (records.fields()[2].starts_with("bad/"))
      expected[std::string{records.fields()[2]}].insert(std::string{records.fields()[14]});
  REQUIRE(expected.size() == 43); // 42 folders and one that is not there

  const std::set<std::string> wrong_strategy{"bad/one", "bad/one1", "bad/short", "bad/trcut2"};
  std::map<std::string, std::string> outcome;
  for (const auto& run : expected) {
    const auto& [folder, answers] = run;
    CAPTURE(run.first);
    std::string message;
    try {
      static_cast<void>(read_csv(data / folder));
    } catch (const TraceError& e) {
      message = e.what();
      CHECK(message.find('\n') == std::string::npos);
      CHECK(message.starts_with((data / folder).string()));
    }
    const bool accepted = message.empty();
    if (answers.count("time") != 0 || wrong_strategy.count(folder) != 0) {
      CHECK_MESSAGE(accepted, message);
    } else if (answers.count("reject") != 0) {
      CHECK_FALSE(accepted);
    }
    outcome[folder] = message;
  }
  for (const char* nonsense : {"tnan", "tinf", "thuge", "sneg", "sneg1", "sbig", "stage"})
    CHECK_FALSE(outcome[std::string{"bad/"} + nonsense].empty());
  for (const char* odd : {"dup", "stagef", "shuf", "tzero"})
    CHECK(outcome[std::string{"bad/"} + odd].empty());
}
