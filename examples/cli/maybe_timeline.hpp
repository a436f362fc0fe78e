#pragma once

#include <triosim/net/message.hpp>
#include <triosim/report/timeline.hpp>
#include <triosim/task_graph.hpp>
#include <triosim/units.hpp>

#include <cstdint>

namespace triosim::cli {

/// An observer for those who may or may not want a timeline.
class MaybeTimeline {
 public:
  explicit MaybeTimeline(report::Timeline* timeline) : timeline_{timeline} {}
  void begin(const TaskGraph& graph) {
    if (timeline_) timeline_->begin(graph);
  }
  void task_started(std::uint32_t rank, TaskId task, Time now) {
    if (timeline_) timeline_->task_started(rank, task, now);
  }
  void task_finished(std::uint32_t rank, TaskId task, Time now) {
    if (timeline_) timeline_->task_finished(rank, task, now);
  }
  void message_sent(const net::Message& message, Time now) {
    if (timeline_) timeline_->message_sent(message, now);
  }
  void message_arrived(const net::Message& message, Time now) {
    if (timeline_) timeline_->message_arrived(message, now);
  }
  void memory_changed(std::uint32_t rank, Bytes in_use, Time now) {
    if (timeline_) timeline_->memory_changed(rank, in_use, now);
  }
  void end(Time total) {
    if (timeline_) timeline_->end(total);
  }

 private:
  report::Timeline* timeline_;
};

} // namespace triosim::cli
