#pragma once

#include "triosim/chakra/encoding.hpp"
#include "triosim/chakra/json_encoder.hpp"
#include "triosim/chakra/model.hpp"
#include "triosim/chakra/v001_encoder.hpp"
#include "triosim/chakra/v004_encoder.hpp"
#include "triosim/chakra/workload_graph_encoder.hpp"

#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include <string>
#include <string_view>

namespace triosim::chakra {

/// The encoders of all formats behind one face: what stands before, between and after the nodes, and the nodes.
class FormatEncoder {
 public:
  explicit FormatEncoder(Format format) noexcept : format_{format} {}

  Format format() const noexcept { return format_; }

  /// True where each node follows its own length; else `separator` stands between nodes.
  bool has_lengths() const noexcept { return format_ == Format::v0_0_4 || format_ == Format::v0_0_1; }
  std::string_view separator() const noexcept {
    return format_ == Format::json             ? JsonEncoder::separator
           : format_ == Format::workload_graph ? WorkloadGraphEncoder::separator
                                               : std::string_view{};
  }
  std::string_view end() const noexcept {
    return format_ == Format::json             ? JsonEncoder::end
           : format_ == Format::workload_graph ? WorkloadGraphEncoder::end
                                               : std::string_view{};
  }

  void begin(std::string& out, const HeaderView& header) {
    switch (format_) {
    case Format::v0_0_4: {
      std::string message;
      v004_.header(message, header);
      // A length of zero would be read as the end of the file.
      if (message.empty()) v004_.header(message, HeaderView{to_text(Format::v0_0_4), {}});
      protozero::add_varint_to_buffer(&out, message.size());
      out.append(message);
      break;
    }
    case Format::v0_0_1:
      for (const Attribute& attribute : header.attributes)
        losses_.add("header attribute", attribute.name);
      break;
    case Format::json:
      JsonEncoder::begin(out, header);
      break;
    case Format::workload_graph:
      WorkloadGraphEncoder::begin(out, header, losses_);
      break;
    }
  }

  void node(EncodedNode& out, const NodeView& node) {
    out.clear();
    switch (format_) {
    case Format::v0_0_4:
      v004_.node(out, node, losses_);
      break;
    case Format::v0_0_1:
      v001_.node(out, node, losses_);
      break;
    case Format::json:
      json_.node(out, node);
      break;
    case Format::workload_graph:
      workload_graph_.node(out, node, losses_);
      break;
    }
  }

  Losses& losses() noexcept { return losses_; }
  const Losses& losses() const noexcept { return losses_; }

 private:
  Format format_;
  V004Encoder v004_;
  V001Encoder v001_;
  JsonEncoder json_;
  WorkloadGraphEncoder workload_graph_;
  Losses losses_;
};

} // namespace triosim::chakra
