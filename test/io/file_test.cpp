#include <triosim/io/file.hpp>
#include <triosim/io/json_text.hpp>

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

using namespace triosim;

namespace {

// A folder of its own for one test.
struct Folder {
  std::filesystem::path path;
  Folder() : path{std::filesystem::temp_directory_path() / ("triosim-io-" + std::to_string(std::random_device{}()))} {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{path}, {}));
  }
};

std::string gzip(std::string_view text) {
  std::string packed(text.size() + 128, '\0');
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

std::string unpacked(std::string_view bytes, std::size_t step = 7) {
  io::InputFile file = io::InputFile::from_memory("memory", bytes);
  std::string text;
  std::string piece(step, '\0');
  while (const std::size_t got = file.read(piece.data(), step))
    text.append(piece, 0, got);
  return text;
}

} // namespace

TEST_CASE("a file reads back as it was written, packed or not, under any name") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 200'000; ++i)
    text += std::to_string(i) + (i % 3 ? " " : "\n");
  for (const std::string& content : {std::string{}, std::string{"x"}, std::string{"\x1f"}, text}) {
    io::write_file(folder / "plain", content);
    CHECK(io::read_file(folder / "plain") == content);
    io::write_file(folder / "packed.et", gzip(content));
    CHECK(io::read_file(folder / "packed.et") == content);
  }
  CHECK(folder.entries() == 2);
}

TEST_CASE("gzip files may have several members and zeros behind the last") {
  CHECK(unpacked(gzip("first ") + gzip("second")) == "first second");
  CHECK(unpacked(gzip("a") + gzip("") + gzip("b")) == "ab");
  CHECK(unpacked(gzip("text") + std::string(5, '\0')) == "text");
}

TEST_CASE("a gzip file that is cut off or damaged is an error that names the file") {
  const std::string whole = gzip("some text that is worth packing, some text that is worth packing");
  for (std::size_t length = 2; length < whole.size(); ++length)
    CHECK_THROWS_AS(unpacked(std::string_view{whole}.substr(0, length)), TraceError);
  CHECK_THROWS_WITH_AS(unpacked(whole + "rest"), doctest::Contains("memory: the gzip stream is damaged"), TraceError);
  std::string flipped = whole;
  flipped[whole.size() - 6] ^= 1;
  CHECK_THROWS_AS(unpacked(flipped), TraceError);
}

TEST_CASE("what cannot be opened is named") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(io::read_file(folder / "absent"), doctest::Contains("absent: cannot be opened: No such file"),
                       TraceError);
  CHECK_THROWS_WITH_AS(io::read_file(folder.path.string()), doctest::Contains("is a directory"), TraceError);
  CHECK_THROWS_WITH_AS(io::write_file(folder / "no/such/folder", "x"), doctest::Contains("cannot write"), Error);
  CHECK_THROWS_WITH_AS(io::write_file(folder.path, "x"), doctest::Contains("it is a directory"), Error);
}

TEST_CASE("a file that is not committed leaves the old one and nothing else") {
  const Folder folder;
  io::write_file(folder / "f", "old");
  {
    io::AtomicFile file{folder / "f"};
    file.write("new");
    CHECK(io::read_file(folder / "f") == "old");
  }
  CHECK(io::read_file(folder / "f") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("writing through a link keeps the link, and a device is not replaced") {
  const Folder folder;
  io::write_file(folder / "target", "old");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  io::write_file(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(io::read_file(folder / "target") == "new");
  io::write_file("/dev/null", "x");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_WITH_AS(io::write_file("/dev/full", "x"), doctest::Contains("No space left"), Error);
}

TEST_CASE("a JSON string can always be read again") {
  const auto json = [](std::string_view text) {
    std::string out;
    io::append_json_string(out, text);
    return out;
  };
  CHECK(json("plain") == "\"plain\"");
  CHECK(json("a\"b\\c\n\t\x01\x7f") == R"("a\"b\\c\n\t\u0001\u007f")");
  CHECK(json("\xc3\xa9\xf0\x9f\x98\x80") == "\"\xc3\xa9\xf0\x9f\x98\x80\"");
  CHECK(json("\xff\xc0\x80\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd")");
  CHECK(io::is_utf8("\xe2\x82\xac"));
  CHECK_FALSE(io::is_utf8("\xe2\x82"));
}
