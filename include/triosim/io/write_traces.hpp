#pragma once

#include "triosim/chakra/file_template.hpp"
#include "triosim/io/trace_names.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace triosim::io {

/// Writes the files of `ranks`, which all come from one template, on `jobs` threads. `values(rank, vector)` fills in
/// what differs, `written()` is called after each file; both from any of the threads. The first failure ends the work
/// and is thrown; each file appears whole or not at all.
template <class Values, class Written>
void write_traces(const chakra::FileTemplate& file, const TraceNames& names, std::span<const std::uint32_t> ranks,
                  unsigned jobs, Values&& values, Written&& written) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    std::string buffer;
    std::vector<std::uint32_t> fill;
    try {
      for (std::size_t i = next++; i < ranks.size(); i = next++) {
        values(ranks[i], fill);
        file.write(names.trace(ranks[i]), fill, buffer);
        written();
      }
    } catch (...) {
      const std::lock_guard lock{failing};
      if (!failure) failure = std::current_exception();
      next = ranks.size();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < jobs && i < ranks.size(); ++i)
    others.emplace_back(work);
  work();
  for (std::thread& other : others)
    other.join();
  if (failure) std::rethrow_exception(failure);
}

} // namespace triosim::io
