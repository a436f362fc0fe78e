#pragma once

#include "triosim/io/json_text.hpp"
#include "triosim/report/report.hpp"

#include <cstddef>
#include <string>

namespace triosim::report {

/// A heading and a row for each rank, for pandas and spreadsheets: rank, compute_s, exposed_communication_s,
/// overlapped_communication_s, idle_s, finish_s, peak_memory_bytes, bytes_sent, messages_sent, as in `to_json`. Times
/// are seconds, exact to the picosecond.
inline std::string to_csv(const Report& report) {
  std::string out = "rank,compute_s,exposed_communication_s,overlapped_communication_s,idle_s,finish_s,"
                    "peak_memory_bytes,bytes_sent,messages_sent\n";
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankReport& rank = report.ranks[i];
    io::append_decimal(out, i);
    for (const Time time :
         {rank.compute, rank.exposed_communication, rank.overlapped_communication, rank.idle, rank.finish}) {
      out.push_back(',');
      io::append_scaled(out, time.picoseconds(), 12);
    }
    for (const std::uint64_t count : {rank.peak_memory.count(), rank.bytes_sent.count(), rank.messages_sent}) {
      out.push_back(',');
      io::append_decimal(out, count);
    }
    out.push_back('\n');
  }
  return out;
}

} // namespace triosim::report
