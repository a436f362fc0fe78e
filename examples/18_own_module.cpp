// A module of one's own: a vision transformer is a patch embedding, the blocks that are there, and a classifier.
#include <triosim/triosim.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using namespace triosim;
namespace physical = symbolic::physical;

// Each patch of an image is one product with a matrix; pictures are cut over the ranks as sequences are.
constexpr const char* patches = R"(
let pixels = [Batch/(dp*ep), Seq/cp, Pixels]
let tokens = [Batch/(dp*ep), Seq/cp, Dmodel]
let edge   = [Batch/(dp*ep), Edge, Dmodel]
let matrix = [Pixels, Dmodel]
x  = input pixels
w  = weight matrix
y1 = einsum(bsp,pm->bsm) x pixels, w matrix
y  = alias y1 edge
dy  = input edge
dy1 = alias dy tokens
dw  = einsum(bsp,bsm->pm) x pixels, dy1 tokens gradient of w
)";

// The classifier looks at all tokens; its loss begins the backward pass.
constexpr const char* classifier = R"(
let edge    = [Batch/(dp*ep), Edge, Dmodel]
let tokens  = [Batch/(dp*ep), Seq/cp, Dmodel]
let classes = [Batch/(dp*ep), Seq/cp, Classes]
let matrix  = [Dmodel, Classes]
x    = input edge
w    = weight matrix
x1   = alias x tokens
y    = einsum(bsm,mc->bsc) x1 tokens, w matrix
loss = unary(0) y classes
dy   = unary(0) loss classes
dx1  = einsum(bsc,mc->bsm) dy classes, w matrix
dx   = alias dx1 edge
dw   = einsum(bsm,bsc->mc) x1 tokens, dy classes gradient of w
)";

physical::Model vision_transformer(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  physical::Model model;
  symbolic::Pool& pool = model.pool();
  model.set("Dmodel", hidden);
  model.set("Head", heads);
  model.set("KVHead", heads);
  model.set("HeadDim", hidden / heads);
  model.set("Dff", 4 * hidden);
  model.set("Seq", 256); // 16 x 16 patches of 14 x 14 pixels
  model.set("Pixels", 14 * 14 * 3);
  model.set("Classes", 1000);
  model.add("patches", symbolic::parse_module(pool, "patches", patches), {"x", "y", "dy", ""});
  const symbolic::Graph mlp = symbolic::parse_module(pool, "mlp", physical::tables::feed_forward);
  model.stack("block", physical::transformer_block(pool, mlp), physical::block_ports(),
              static_cast<std::uint32_t>(layers));
  model.add("classifier", symbolic::parse_module(pool, "classifier", classifier), {"x", "loss", "", "dx"});
  return model;
}

} // namespace

int main() {
  const physical::Model model = vision_transformer(32, 1280, 16); // ViT-H/14
  std::printf("%.0f million parameters\n", model.parameters() / 1e6);
  physical::Plan plan;
  plan.dp = 4, plan.tp = 2;
  plan.batch = plan.micro_batch = 512;
  const GraphSummary sums = summarize(physical::TrainingStep{plan}.lower(model));
  std::printf("%u ranks, %.1f TFLOP for each image\n", sums.ranks, sums.flops / 512 / 1e12);
  for (const auto& traffic : sums.collectives)
    std::printf("%-14s over %s: %6.1f GB\n", std::string{to_string(traffic.type)}.c_str(), traffic.group.c_str(),
                traffic.bytes / 1e9);
}
