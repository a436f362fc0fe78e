#pragma once

#include "triosim/error.hpp"
#include "triosim/operation.hpp"
#include "triosim/player/published/alone.hpp"
#include "triosim/player/published/tables.hpp"
#include "triosim/task_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triosim::player::published {

/// The published pipeline parallelism: stage r is on rank r. A micro-batch passes the stages forward, turns
/// on the last one, and passes them back. All forward passes come before all backward passes, and those go from the
/// last micro-batch to the first: until the last one has turned and left the last stage, the others are parked there.
///
/// Micro-batches of a rank do not exclude each other. The order is kept by a test that a micro-batch takes when it has
/// completed a layer: the one before it must have started its last layer of the stage, otherwise it waits until that
/// one hands over. So two may compute at once: the last layer of one and the first of the next.
///
/// Micro-batch k+1 starts on rank 0 when the message of k has come to rank 1.
template <class Devices>
class Pipeline : public Alone<Devices> {
  using Base = Alone<Devices>;
  using Base::devices_;

 public:
  explicit Pipeline(Devices& devices)
      : Base{devices}, lanes_(devices.lanes()), backward_(devices.micro_batches(), false) {
    if (devices.graph().programs().size() != devices.ranks())
      throw ConfigError{"programs of a pipeline", std::to_string(devices.graph().programs().size()),
                        std::to_string(devices.ranks()) + ", one for each stage"};
    for (std::uint32_t rank = 0; rank < devices.ranks(); ++rank)
      stages_.push_back(stage_of(rank));
  }

  void begin() {
    if (devices_.ranks() == 0) return;
    open(0, 0, forward(0));
    devices_.call_step(0);
  }

  std::uint32_t layers(Lane lane) const { return lanes_[lane]; }

  /// The first micro-batch that looks at a layer gives its tensors their names, after it has looked for them under
  /// names that nobody has. All micro-batches use these names from then on.
  bool look(Lane lane, std::uint32_t layer) {
    const std::uint32_t rank = devices_.rank_of(lane);
    std::uint32_t& name = stages_[rank].name[layer];
    if (name != unnamed) return false;
    name = devices_.micro_batch_of(lane);
    devices_.rename(rank, layer, offset_of(rank, name));
    return true;
  }

  void completed(Lane lane, std::uint32_t layer) {
    const std::uint32_t rank = devices_.rank_of(lane), k = devices_.micro_batch_of(lane);
    const std::uint32_t last = devices_.ranks() - 1, micro_batches = devices_.micro_batches();
    constexpr std::uint32_t nobody = 0xFFFFFFFF;
    std::uint32_t next = rank;
    if (layer + 1 == end_of_pass(rank, k)) {
      if (!backward_[k] && rank == last) {
        backward_[k] = true;
        open(rank, k, devices_.table(rank).size());
        if (k + 1 != micro_batches) {
          stalled_ = true;
          parked_.push_back(lane);
          wake(rank, k + 1);
          return;
        }
        devices_.resume_at(lane, devices_.computing(lane));
      } else if (!backward_[k]) {
        next = rank + 1;
        hand_over(next, k, 0, forward(next));
      } else {
        next = rank == 0 ? nobody : rank - 1;
        if (rank > 0) {
          if (k + 1 == micro_batches) stalled_ = false;
          hand_over(next, k, forward(next), devices_.table(next).size());
        }
      }
    }
    const bool back = backward_[k];
    const bool has_precursor = back ? k + 1 < micro_batches : k > 0;
    if (has_precursor) {
      const std::uint32_t precursor = back ? k + 1 : k - 1;
      if (devices_.computing(devices_.lane(rank, precursor)) < end_of(rank, back)) {
        waiting_.push_back(lane);
        return;
      }
    }
    if (next == rank) {
      devices_.call_step(lane);
      return;
    }
    if (devices_.computing(lane) >= end_of(rank, back)) {
      if (!back)
        wake(rank, k + 1);
      else if (k > 0)
        wake(rank, k - 1);
    }
    if (next == nobody) return;
    if (!stalled_) {
      for (const Lane parked : parked_)
        devices_.call_step(parked);
      parked_.clear();
    }
    send(lane, devices_.lane(next, k), back);
  }

  template <class Message>
  void arrived(const Message& message) {
    const std::uint32_t rank = devices_.rank_of(message.to), k = devices_.micro_batch_of(message.to);
    const Stage& stage = stages_[rank];
    const bool back = (message.about & is_backward) != 0;
    const TaskId receive = back ? stage.hops[k].receive_backward : stage.hops[k].receive_forward;
    devices_.observing().task_finished(devices_.rank_of(message.from), message.task, devices_.now());
    devices_.observing().task_started(rank, receive, devices_.now());
    devices_.observing().task_finished(rank, receive, devices_.now());
    incoming_ = back ? stage.incoming_backward : stage.incoming_forward;
    const std::uint32_t sender = devices_.rank_of(message.from);
    const TensorIndex offset = offset_of(rank, stages_[sender].name[end_of(sender, back) - 1]);
    for (Use& use : incoming_)
      use.tensor += offset;
    devices_.admit(message.to, incoming_);
    if ((message.about & starts_next) != 0) {
      open(0, started_, forward(0));
      devices_.call_step(devices_.lane(0, started_++));
    }
    devices_.call_step(message.to);
  }

  /// Between two passes the layer to be computed next is another rank's (but on the last one): what this rank has of
  /// its tensors stays. A layer without a name yet keeps nothing. After the last layer of all, nothing is dropped.
  std::optional<std::span<const Use>> kept(Lane lane) {
    const std::uint32_t layer = devices_.computing(lane), rank = devices_.rank_of(lane);
    const bool turning = rank + 1 == devices_.ranks() && layer == forward(rank);
    if (layer < lanes_[lane] || turning)
      return stages_[rank].name[layer] == unnamed ? std::span<const Use>{} : devices_.table(rank).touches(layer);
    const bool back = layer != forward(rank);
    if (back && rank == 0) return std::nullopt;
    const std::uint32_t next = back ? rank - 1 : rank + 1;
    beyond_.clear();
    const std::uint32_t name = stages_[next].name[back ? forward(next) : 0];
    if (name == unnamed) return beyond_;
    const TensorIndex offset = offset_of(rank, name);
    for (Use use : back ? stages_[rank].beyond_backward : stages_[rank].beyond_forward) {
      use.tensor += offset;
      beyond_.push_back(use);
    }
    return beyond_;
  }

  std::string reason(Lane lane) const {
    if (std::find(parked_.begin(), parked_.end(), lane) != parked_.end())
      return "is parked until the last micro-batch comes back";
    if (std::find(waiting_.begin(), waiting_.end(), lane) != waiting_.end())
      return "waits for another micro-batch to hand over";
    if (devices_.computing(lane) >= lanes_[lane])
      return "waits for micro-batch " + std::to_string(devices_.micro_batch_of(lane)) + " to come from another rank";
    return Base::reason(lane);
  }

 private:
  // What a message is about.
  static constexpr std::uint32_t is_backward = 1;
  static constexpr std::uint32_t starts_next = 2;

  static constexpr std::uint32_t unnamed = 0xFFFFFFFF;

  // The messages of a micro-batch on a rank.
  struct Hop {
    TaskId send_forward = 0, receive_forward = 0, send_backward = 0, receive_backward = 0;
  };
  struct Stage {
    std::vector<Hop> hops;            // of each micro-batch
    std::vector<std::uint32_t> name;  // of each layer: the micro-batch that its tensors are named after
    std::vector<std::uint32_t> names; // those that the rank knows
    std::vector<Use> incoming_forward, incoming_backward;
    std::vector<Use> beyond_forward, beyond_backward; // of the next rank's first layer
  };

  std::uint32_t forward(std::uint32_t rank) const { return devices_.table(rank).forward(); }
  std::uint32_t end_of(std::uint32_t rank, bool back) const {
    return back ? devices_.table(rank).size() : forward(rank);
  }
  std::uint32_t end_of_pass(std::uint32_t rank, std::uint32_t k) const { return end_of(rank, backward_[k]); }

  void open(std::uint32_t rank, std::uint32_t k, std::uint32_t layers) { lanes_[devices_.lane(rank, k)] = layers; }
  void hand_over(std::uint32_t rank, std::uint32_t k, std::uint32_t first, std::uint32_t end) {
    open(rank, k, end);
    devices_.resume_at(devices_.lane(rank, k), first);
  }

  // Those of a micro-batch that wait on the rank for their turn.
  void wake(std::uint32_t rank, std::uint32_t k) {
    if (k >= devices_.micro_batches()) return;
    const Lane lane = devices_.lane(rank, k);
    const auto kept = std::remove(waiting_.begin(), waiting_.end(), lane);
    for (auto i = kept; i != waiting_.end(); ++i)
      devices_.call_step(lane);
    waiting_.erase(kept, waiting_.end());
  }

  void send(Lane from, Lane to, bool back) {
    const std::uint32_t rank = devices_.rank_of(from);
    const Hop& hop = stages_[rank].hops[devices_.micro_batch_of(from)];
    const TaskId task = back ? hop.send_backward : hop.send_forward;
    const bool next_round = rank == 0 && !back && started_ < devices_.micro_batches();
    devices_.observing().task_started(rank, task, devices_.now());
    devices_.send({from, to, (back ? is_backward : 0) | (next_round ? starts_next : 0), task},
                  devices_.graph().program(rank).message(task).bytes.count());
  }

  // How far apart the numbers of tensors with this name are from those that the table was made with.
  TensorIndex offset_of(std::uint32_t rank, std::uint32_t name) {
    auto& names = stages_[rank].names;
    const auto found = std::find(names.begin(), names.end(), name);
    const auto offset = static_cast<TensorIndex>(found - names.begin()) * devices_.table(rank).tensors();
    if (found == names.end()) {
      names.push_back(name);
      devices_.residency().learn(rank, std::size_t{offset} + devices_.table(rank).tensors());
    }
    return offset;
  }

  Stage stage_of(std::uint32_t rank) const {
    const Program& program = devices_.graph().program(rank);
    Stage stage;
    stage.name.assign(devices_.table(rank).size(), unnamed);
    stage.hops.resize(devices_.micro_batches());
    const auto uses = [&](std::span<const TensorIndex> tensors) {
      std::vector<Use> list;
      for (const TensorIndex tensor : tensors)
        list.push_back({tensor, true, program.tensors()[tensor].bytes.count()});
      return list;
    };
    for (TaskId task = 0; task < program.size(); ++task) {
      const bool sends = program.kind(task) == TaskKind::Send;
      if (!sends && program.kind(task) != TaskKind::Receive) continue;
      const std::uint32_t k = Table::micro_batch_of(program, task);
      const bool back = sends == (program.message(task).shift < 0);
      if (k >= stage.hops.size())
        throw ConfigError{"micro-batch of " + std::string{program.name(task)}, std::to_string(k),
                          "one of " + std::to_string(stage.hops.size())};
      Hop& hop = stage.hops[k];
      if (sends) {
        (back ? hop.send_backward : hop.send_forward) = task;
        if (k == 0) (back ? stage.beyond_backward : stage.beyond_forward) = uses(program.inputs(task));
      } else {
        (back ? hop.receive_backward : hop.receive_forward) = task;
        if (k == 0) (back ? stage.incoming_backward : stage.incoming_forward) = uses(program.outputs(task));
      }
    }
    return stage;
  }

  std::vector<std::uint32_t> lanes_; // of each lane, the layers that it may look at
  std::vector<bool> backward_;       // of each micro-batch: has turned
  std::vector<Stage> stages_;        // of each rank
  std::vector<Lane> parked_, waiting_;
  std::vector<Use> incoming_, beyond_;
  std::uint32_t started_ = 1;
  bool stalled_ = false;
};

} // namespace triosim::player::published
