#pragma once

#include "triosim/error.hpp"
#include "triosim/symbolic/physical/lowered.hpp"
#include "triosim/symbolic/physical/schedule.hpp"
#include "triosim/task_graph.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triosim::symbolic::physical {

namespace unroll_detail {

/// The group slots of a step: one for each set of axes along which somebody communicates, one for the pipeline, one for
/// the two ends of a pipeline that share an embedding.
class Slots {
 public:
  std::uint16_t of(AxisSet axes) {
    if (slot_[axes] == none) slot_[axes] = next_++;
    return slot_[axes];
  }
  std::uint16_t pipeline() {
    if (pipeline_ == none) pipeline_ = next_++;
    return pipeline_;
  }
  std::uint16_t ends() {
    if (ends_ == none) ends_ = next_++;
    return ends_;
  }

  void add_to(TaskGraph& graph, const DeviceMesh& mesh) const {
    for (std::uint16_t slot = 0; slot < next_; ++slot) {
      if (slot == pipeline_) {
        graph.add_group(Communicators::along(mesh, "pp"));
      } else if (slot == ends_) {
        graph.add_group(ends_of_pipelines(mesh));
      } else {
        std::vector<std::string_view> names;
        for (std::size_t axes = 0; axes < slot_.size(); ++axes)
          for (std::size_t axis = 0; slot_[axes] == slot && axis < spatial_axes.size(); ++axis)
            if ((axes >> axis & 1) != 0) names.push_back(spatial_axes[axis]);
        graph.add_group(Communicators::along(mesh, names));
      }
    }
  }

 private:
  static constexpr auto none = std::numeric_limits<std::uint16_t>::max();

  static Communicators ends_of_pipelines(const DeviceMesh& mesh) {
    const std::size_t axis = mesh.index("pp");
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t rank = 0; rank < mesh.ranks(); ++rank)
      if (mesh.coordinate(rank, axis) == 0)
        groups.push_back({rank, rank + (mesh.axis(axis).size - 1) * mesh.stride(axis)});
    return Communicators::of("embedding", mesh.ranks(), groups);
  }

  static constexpr std::array<std::uint16_t, 16> all_none() {
    std::array<std::uint16_t, 16> slots{};
    slots.fill(none);
    return slots;
  }
  std::array<std::uint16_t, 16> slot_ = all_none();
  std::uint16_t pipeline_ = none, ends_ = none, next_ = 0;
};

/// Writes the program of one stage.
class StageWriter {
 public:
  StageWriter(const Lowered& lowered, const Model& model, const Plan& plan, std::uint32_t stage, Slots& slots)
      : lowered_{lowered}, plan_{plan}, stage_{stage}, slots_{slots}, tied_{model.tied()} {}

  Program write() {
    const std::vector<Work> order = order_of_work(plan_, stage_);
    std::vector<std::size_t> last(plan_.chunks, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i].backward) last[order[i].chunk] = i;
    const auto micro_batches = static_cast<std::size_t>(plan_.micro_batches());
    for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk) {
      const std::uint32_t v = chunk * plan_.pp + stage_;
      for (std::uint32_t layer = lowered_.first[v]; layer < lowered_.first[v + 1]; ++layer)
        states_.push_back({layer, std::vector<TaskId>(micro_batches), {}, {}, {}});
      chunk_begins_.push_back(states_.size());
    }
    for (State& state : states_) {
      const std::string& name = lowered_.layers[state.layer].name;
      for (const LayerTask& task : lowered_.kind(state.layer).tasks)
        state.names.push_back(name + "." + task.name);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i].backward)
        backward(order[i], i == last[order[i].chunk]);
      else
        forward(order[i]);
    for (State& state : states_)
      if (waits_for_other_end(state)) reduce(state);
    return std::move(program_);
  }

 private:
  /// A layer of this stage while its micro-batches are written.
  struct State {
    std::uint32_t layer;
    std::vector<TaskId> forward;             // first forward task of each micro-batch
    std::vector<std::string> names;          // of its tasks
    std::vector<std::vector<TaskId>> inputs; // what came in, for each micro-batch; only kept for recomputation
    std::vector<TaskId> gradients;           // of the micro-batch before: the next is added to it
  };
  using Tasks = std::vector<TaskId>;

  std::span<State> states(std::uint32_t chunk) {
    const std::size_t begin = chunk == 0 ? 0 : chunk_begins_[chunk - 1];
    return std::span{states_}.subspan(begin, chunk_begins_[chunk] - begin);
  }

  void begin(const Work& work) {
    begin_ = program_.size();
    anchored_.clear();
    before_item_ = last_compute_;
    micro_batch_ = work.micro_batch;
  }

  void forward(const Work& work) {
    begin(work);
    const std::uint32_t v = work.chunk * plan_.pp + stage_;
    const std::span<State> layers = states(work.chunk);
    Tasks came;
    if (v != 0) came = {receive(work, v, false, lowered_.kind(layers.front().layer).x_bytes)};
    for (State& state : layers) {
      const Layer& layer = lowered_.kind(state.layer);
      const Tasks gathered = gather(state, layer, false);
      if (plan_.recompute != Recompute::none) {
        state.inputs.resize(state.forward.size());
        state.inputs[work.micro_batch] = came;
      }
      state.forward[work.micro_batch] = program_.size();
      for (std::size_t i = 0; i < layer.forward; ++i)
        add(
            state, layer, i,
            [&](Source source, Tasks& waits) {
              if (source == from_before)
                waits.insert(waits.end(), came.begin(), came.end());
              else
                waits.push_back(state.forward[work.micro_batch] + source);
            },
            gathered);
      Tasks next;
      for (Source source : layer.y)
        if (source == from_before)
          next.insert(next.end(), came.begin(), came.end());
        else
          next.push_back(state.forward[work.micro_batch] + source);
      came = std::move(next);
    }
    if (v + 1 != lowered_.virtual_stages())
      send(work, v + 1, false, lowered_.kind(lowered_.first[v + 1]).x_bytes, came);
  }

  void backward(const Work& work, bool is_last) {
    begin(work);
    const std::uint32_t v = work.chunk * plan_.pp + stage_;
    const std::span<State> layers = states(work.chunk);
    Tasks came;
    if (v + 1 != lowered_.virtual_stages())
      came = {receive(work, v + 1, true, lowered_.kind(lowered_.first[v + 1]).x_bytes)};
    State* reducible = nullptr;
    for (std::size_t k = layers.size(); k-- > 0;) {
      came = backward_layer(layers[k], work, came);
      if (!is_last) continue;
      // What the layer behind reduces is on its way while this one is computed.
      if (reducible != nullptr) reduce(*reducible);
      reducible = waits_for_other_end(layers[k]) ? nullptr : &layers[k];
    }
    if (v != 0) send(work, v, true, lowered_.kind(layers.front().layer).x_bytes, came);
    if (reducible != nullptr) reduce(*reducible);
  }

  /// A weight that both ends of a pipeline have is reduced when all is over: the ends wait for each other, and what
  /// they still have to do for the stages between must not stand in line behind that.
  bool waits_for_other_end(const State& state) const {
    return tied_ && plan_.pp > 1 && (state.layer == 0 || state.layer + 1 == lowered_.layers.size());
  }

  Tasks backward_layer(State& state, const Work& work, const Tasks& came) {
    const Layer& layer = lowered_.kind(state.layer);
    const Tasks gathered = gather(state, layer, true);
    // Where each forward task is found: as it was, or repeated now.
    Tasks found(layer.forward);
    const std::vector<bool>* again = plan_.recompute == Recompute::full        ? &layer.again_full
                                     : plan_.recompute == Recompute::selective ? &layer.again_core
                                                                               : nullptr;
    for (std::size_t i = 0; i < layer.forward; ++i) {
      found[i] = state.forward[work.micro_batch] + static_cast<TaskId>(i);
      if (again == nullptr || !(*again)[i]) continue;
      const Tasks& input = state.inputs[work.micro_batch];
      // A repeated forward pass begins when the backward pass is there, not before.
      bool begins = true;
      for (Source source : layer.waits_of(layer.tasks[i]))
        begins = begins && (source == from_before || !(*again)[source]);
      found[i] = add(
          state, layer, i,
          [&](Source source, Tasks& waits) {
            if (source == from_before)
              waits.insert(waits.end(), input.begin(), input.end());
            else
              waits.push_back(found[source]);
          },
          gathered, begins ? &came : nullptr, true);
    }
    const std::size_t shift = program_.size() - layer.forward;
    const auto placed = [&](Source source) {
      return source < layer.forward ? found[source] : static_cast<TaskId>(shift + source);
    };
    for (std::size_t i = layer.forward; i < layer.tasks.size(); ++i)
      add(
          state, layer, i,
          [&](Source source, Tasks& waits) {
            if (source == from_behind)
              waits.insert(waits.end(), came.begin(), came.end());
            else if (source != from_before) // what came in forward is there long since
              waits.push_back(placed(source));
          },
          gathered);

    // The gradient of a weight is added to that of the micro-batch before.
    Tasks gradients;
    for (const WeightGroup& group : layer.weights)
      for (Source source : group.gradients)
        gradients.push_back(placed(source));
    for (std::size_t i = 0; i < state.gradients.size(); ++i)
      program_.depend(gradients[i], state.gradients[i]);
    state.gradients = std::move(gradients);

    Tasks out;
    for (Source source : layer.dx)
      if (source == from_behind)
        out.insert(out.end(), came.begin(), came.end());
      else if (source != from_before)
        out.push_back(placed(source));
    return out;
  }

  /// With sharded weights: gathers those of a layer, one layer ahead of the one at work at most.
  Tasks gather(State& state, const Layer& layer, bool backward) {
    Tasks gathered;
    if (plan_.zero != 3) return gathered;
    for (const WeightGroup& group : layer.weights) {
      if (group.axes == 0) continue;
      Tasks waits;
      if (layer_ends_[0] != no_task) waits.push_back(layer_ends_[0]);
      const std::string name = lowered_.layers[state.layer].name + (backward ? ".gather again" : ".gather");
      gathered.push_back(
          collective(name, CollectiveType::AllGather, group.axes, group.elements * plan_.precision.value, waits));
    }
    layer_ends_[0] = layer_ends_[1];
    layer_ends_[1] = last_compute_;
    return gathered;
  }

  /// One task of a layer; `place` turns a source into tasks.
  template <class Place>
  TaskId add(const State& state, const Layer& layer, std::size_t i, Place place, const Tasks& gathered,
             const Tasks* also = nullptr, bool repeated = false) {
    const LayerTask& task = layer.tasks[i];
    waits_.clear();
    for (Source source : layer.waits_of(task))
      place(source, waits_);
    if (also != nullptr) waits_.insert(waits_.end(), also->begin(), also->end());
    if (task.uses_weight) waits_.insert(waits_.end(), gathered.begin(), gathered.end());
    name_ = state.names[i];
    if (repeated) name_ += ".again";
    TaskId id = 0;
    if (task.kind == TaskKind::Collective) {
      id = collective(name_, task.collective, task.axes, task.bytes, waits_);
      bool anchored = false;
      for (TaskId before : waits_)
        anchored = anchored || is_anchored(before);
      mark(id, anchored);
    } else {
      Operation operation;
      operation.name = name_;
      operation.stage = i < layer.forward ? Stage::Forward : Stage::Backward;
      operation.flops = Flops{task.flops};
      operation.bytes = whole(task.bytes);
      id = program_.add_compute(operation, waits_);
      program_.micro_batch(micro_batch_);
      order(id);
    }
    return id;
  }

  /// The schedule as control: what would begin a pass waits for the end of the pass before.
  void order(TaskId id) {
    if (plan_.schedule != Schedule::data_flow && before_item_ != no_task) {
      bool anchored = false;
      for (TaskId before : waits_)
        anchored = anchored || is_anchored(before);
      if (!anchored) program_.depend(id, before_item_);
    }
    mark(id, true);
    last_compute_ = id;
  }
  bool is_anchored(TaskId id) const { return id >= begin_ && id - begin_ < anchored_.size() && anchored_[id - begin_]; }
  void mark(TaskId id, bool anchored) {
    anchored_.resize(id - begin_ + 1, false);
    anchored_[id - begin_] = anchored;
  }

  TaskId collective(std::string_view name, CollectiveType type, AxisSet axes, double bytes,
                    std::span<const TaskId> waits) {
    const TaskId id = program_.add_collective(name, {type, slots_.of(axes), whole(bytes)}, waits);
    program_.micro_batch(micro_batch_);
    return id;
  }

  std::uint32_t tag(const Work& work, std::uint32_t border, bool backward) const {
    const std::uint64_t tag =
        (std::uint64_t{border} * 2 + (backward ? 1 : 0)) * static_cast<std::uint64_t>(plan_.micro_batches()) +
        work.micro_batch;
    if (tag > std::numeric_limits<std::int32_t>::max())
      throw ConfigError{"micro_batch", std::to_string(plan_.micro_batches()) + " micro-batches",
                        "fewer for so many stages"};
    return static_cast<std::uint32_t>(tag);
  }
  TaskId receive(const Work& work, std::uint32_t border, bool backward, double bytes) {
    const TaskId id =
        program_.add_receive(backward ? "gradient received" : "activation received",
                             {slots_.pipeline(), backward ? 1 : -1, tag(work, border, backward), whole(bytes)});
    program_.micro_batch(micro_batch_);
    return id;
  }
  void send(const Work& work, std::uint32_t border, bool backward, double bytes, Tasks waits) {
    // Schedules send when the pass is over; what is computed after the last thing sent is not run ahead of.
    if (plan_.schedule != Schedule::data_flow && last_compute_ != no_task && last_compute_ >= begin_)
      waits.push_back(last_compute_);
    last_send_ =
        program_.add_send(backward ? "gradient sent" : "activation sent",
                          {slots_.pipeline(), backward ? -1 : 1, tag(work, border, backward), whole(bytes)}, waits);
    program_.micro_batch(micro_batch_);
  }

  /// Once a step: the gradients of a layer are summed over the ranks that share its weights, and the weights updated.
  void reduce(State& state) {
    const Layer& layer = lowered_.kind(state.layer);
    const std::string& name = lowered_.layers[state.layer].name;
    const bool is_first = state.layer == 0, is_last = state.layer + 1 == lowered_.layers.size();
    micro_batch_ = Program::no_micro_batch;
    std::size_t next = 0;
    for (const WeightGroup& group : layer.weights) {
      Tasks waits(state.gradients.begin() + static_cast<std::ptrdiff_t>(next),
                  state.gradients.begin() + static_cast<std::ptrdiff_t>(next + group.gradients.size()));
      next += group.gradients.size();
      if (tied_ && (is_first || is_last)) {
        if (plan_.pp == 1 && is_last) {
          // One matrix: the embedding adds these gradients to its own and is updated for both.
          tied_gradients_ = waits;
          continue;
        }
        if (plan_.pp == 1)
          waits.insert(waits.end(), tied_gradients_.begin(), tied_gradients_.end());
        else
          waits = {ends(name, group, waits)};
      }
      double shards = 1;
      for (std::size_t axis = 0; axis < spatial_axes.size(); ++axis)
        if ((group.axes >> axis & 1) != 0) shards *= plan_.size(spatial_axes[axis]);
      if (group.axes != 0)
        waits = {collective(name + ".reduce",
                            plan_.zero == 0 ? CollectiveType::AllReduce : CollectiveType::ReduceScatter, group.axes,
                            group.elements * plan_.precision.gradient, waits)};
      const double own = plan_.zero == 0 ? group.elements : group.elements / shards;
      Operation update;
      name_ = name + ".update";
      update.name = name_;
      update.stage = Stage::Optimizer;
      // Gradient and state are read, state and weights written.
      update.bytes = whole(own * (plan_.precision.gradient + 2 * plan_.precision.optimizer + plan_.precision.value));
      const TaskId updated = program_.add_compute(update, waits);
      if (group.axes != 0 && (plan_.zero == 1 || plan_.zero == 2))
        collective(name + ".distribute", CollectiveType::AllGather, group.axes, group.elements * plan_.precision.value,
                   std::span{&updated, 1});
    }
  }

  TaskId ends(const std::string& name, const WeightGroup& group, Tasks waits) {
    // Where a rank communicates one thing at a time, this must not stand before what the other end waits for.
    if (last_send_ != no_task) waits.push_back(last_send_);
    return program_.add_collective(
        name + ".tie", {CollectiveType::AllReduce, slots_.ends(), whole(group.elements * plan_.precision.gradient)},
        waits);
  }

  static Bytes whole(double bytes) {
    if (!(bytes < 0x1p63)) throw ConfigError{"bytes", std::to_string(bytes), "fewer than 2^63 bytes"};
    return Bytes{static_cast<std::uint64_t>(std::llround(bytes))};
  }

  static constexpr auto no_task = static_cast<TaskId>(-1);

  const Lowered& lowered_;
  const Plan& plan_;
  std::uint32_t stage_;
  Slots& slots_;
  bool tied_;
  Program program_;
  std::vector<State> states_;
  std::vector<std::size_t> chunk_begins_; // ends of the chunks in states_
  TaskId last_compute_ = no_task, before_item_ = no_task, last_send_ = no_task;
  std::array<TaskId, 2> layer_ends_{no_task, no_task};
  TaskId begin_ = 0;
  std::vector<bool> anchored_; // of the tasks since begin_: is something of this pass before it, or is it work itself?
  std::uint32_t micro_batch_ = 0;
  Tasks tied_gradients_;
  Tasks waits_;
  std::string name_;
};

} // namespace unroll_detail

/// The tasks of all ranks: one program for each stage of the pipeline.
inline TaskGraph unroll(const Lowered& lowered, const Model& model, const Plan& plan) {
  const DeviceMesh mesh = plan.mesh();
  TaskGraph graph{mesh.ranks()};
  unroll_detail::Slots slots;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage)
    graph.add_program(unroll_detail::StageWriter{lowered, model, plan, stage, slots}.write());
  const std::size_t pipeline = mesh.index("pp");
  for (std::uint32_t rank = 0; rank < mesh.ranks(); ++rank)
    graph.assign(rank, mesh.coordinate(rank, pipeline));
  slots.add_to(graph, mesh);
  return graph;
}

} // namespace triosim::symbolic::physical
