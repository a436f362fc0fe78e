#include <triosim/io/output_file.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <string_view>

using namespace triosim;

TEST_CASE("an output file holds what was written, in pieces of any size, plain or packed") {
  const auto folder = std::filesystem::temp_directory_path() / "triosim_output_file_test";
  std::filesystem::create_directories(folder);
  std::mt19937 random{7};
  for (const std::string name : {"a.txt", "a.gz"})
    for (const std::size_t piece : {std::size_t{0}, std::size_t{1}, std::size_t{65'535}, std::size_t{65'536},
                                    std::size_t{65'537}, std::size_t{300'001}}) {
      std::string text;
      {
        io::OutputFile file{folder / name};
        for (int i = 0; i < 5; ++i) {
          std::string part(piece, ' ');
          for (char& c : part)
            c = static_cast<char>(random());
          file.write(part);
          text.append(part);
        }
        file.commit();
      }
      CHECK(io::read_file((folder / name).string()) == text);
    }
  const auto packed = [&] {
    io::OutputFile file{folder / "b.gz"};
    file.write("the same");
    file.commit();
    io::InputFile raw{(folder / "b.gz").string()};
    CHECK(raw.is_gzip());
    return std::filesystem::file_size(folder / "b.gz");
  };
  CHECK(packed() == packed());
  { io::OutputFile left{folder / "c.gz"}; }
  CHECK(!std::filesystem::exists(folder / "c.gz"));
  std::filesystem::remove_all(folder);
}
