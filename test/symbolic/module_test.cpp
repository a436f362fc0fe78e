#include <triosim/error.hpp>
#include <triosim/symbolic/models/blocks.hpp>
#include <triosim/symbolic/models/language_model.hpp>
#include <triosim/symbolic/module.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace triosim;
using namespace triosim::symbolic;

TEST_CASE("a table becomes a graph: results and costs follow from the operations") {
  Pool pool;
  const Graph graph = parse_module(pool, "projection", R"(
    let rows = [Batch/dp, Width]     # Width is a parameter
    x = input rows
    w = weight [Width, 4*Width/tp]
    y = einsum(bm,mn->bn) x rows, w [Width, 4*Width/tp]
    s = slice(1: Width/tp) y [Batch/dp, 4*Width/tp]
    k = custom(7*Batch) s [Batch/dp, Width/tp] -> [Batch, 1 | 1/tp] after x, y
    dw = einsum(bn,bm->mn) y [Batch/dp, 4*Width/tp], x rows gradient of w
  )",
                                   {{"Width", "2*Dmodel"}});
  REQUIRE(graph.size() == 6);
  const Tensor& y = graph[graph.find("y")];
  CHECK(pool.shape_text(y.result.shape) == "Batch/dp,8*Dmodel/tp");
  CHECK(pool.shape_text(y.result.partial) == "2*Dmodel");
  CHECK(to_text(pool.expressions, y.cost) == "16*Batch*Dmodel**2/(dp*tp)");
  const Tensor& k = graph[graph.find("k")];
  CHECK(to_text(pool.expressions, k.cost) == "7*Batch");
  CHECK(pool.shape_text(k.result.partial) == "1/tp");
  REQUIRE(graph.extra(k).size() == 2);
  CHECK(graph.extra(k)[1] == graph.find("y"));
  CHECK(graph[graph.find("w")].trainable);
  CHECK(graph[graph.find("dw")].gradient_of == graph.find("w"));
}

TEST_CASE("a wrong table is refused with the line and what was expected") {
  Pool pool;
  const auto problem = [&](const char* table) -> std::string {
    try {
      parse_module(pool, "m", table);
    } catch (const TraceError& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK(problem("x = input [a]\ny = alias z [a]") == "module m:2: z: expected a tensor defined above");
  CHECK(problem("x = input [a]\n\nx = input [a]") == "module m:3: x: defined twice");
  CHECK(problem("x = input rows") == "module m:1: rows: expected a layout in brackets or a name given by let");
  CHECK(problem("x = inptu [a]").find("m:1: inptu: expected input, weight, alias") != std::string::npos);
  CHECK(problem("x = input [a").find("m:1: layout: expected a closing bracket") != std::string::npos);
  CHECK(problem("x = input []").find("m:1: expression") != std::string::npos);
  CHECK(problem("x = input [a] b").find("expected the end of the line, found \"b\"") != std::string::npos);
  CHECK(problem("x = input [a, b]\ny = einsum(ij,jk->ik) x [a, b], x [a, b]").find("one size for letter j") !=
        std::string::npos);
  CHECK(problem("x = input [a]\ny = einsum(i,i->i) x [a | tp], x [a]").find("not partial sums") != std::string::npos);
  CHECK(problem("x = input [a]\ny = slice(1: b) x [a]").find("found \"1: b\", expected 0 to 0") != std::string::npos);
  CHECK(problem("x = input [a]\ny = custom(1) x [a]").find("expected -> and a result") != std::string::npos);
  CHECK(problem("x = input [a]\ny = add x [a]").find("expected two operands") != std::string::npos);
  for (const char* table : {"x", "= input [a]", "x = ", "x = einsum(", "x = input [a]\ny = einsum() x [a], x [a]",
                            "let = [a]", "x = input [a]\ny = unary(2) y [a]", "x = input [1/0]", "x = input [a,]"})
    CHECK_MESSAGE(problem(table) != "nothing", table);
}

TEST_CASE("merge prefixes names, link and join connect what was open") {
  Pool pool;
  const Graph residual = parse_module(pool, "residual", modules::residual, {{"Edge", "Seq"}});
  Graph both{pool};
  both.merge("a.", residual);
  both.merge("b.", residual);
  both.link({{"b.x1", "a.y"}});
  both.join("b.x2", "a.x1", "a.x2");
  const Tensor& linked = both[both.find("b.x1")];
  CHECK(linked.op == Op::alias);
  CHECK(linked.x1 == both.find("a.y"));
  CHECK(both[both.find("b.x2")].op == Op::add);
  CHECK(both.name_of(both.find("b.y")) == "b.y@0");
  CHECK_THROWS_AS(both.link({{"b.x1", "a.y"}}), ConfigError); // is connected already
  CHECK_THROWS_AS(both.link({{"b.z", "a.y"}}), ConfigError);
  Pool other;
  Graph foreign{other};
  CHECK_THROWS_AS(foreign.merge("", residual), ConfigError);
}

TEST_CASE("blocks and models are closed: only the first input and the last gradient stay open") {
  Pool pool;
  const auto open = [&](const Graph& graph) {
    std::string names;
    for (TensorId id = 0; id < graph.size(); ++id)
      if (graph[id].op == Op::input && !graph[id].trainable) names += graph.name_of(id) + " ";
    return names;
  };
  CHECK(open(models::gpt_block(pool, models::Border::split)) == "input_norm.x@0 ffn_res.dy@0 ");
  CHECK(open(models::llama_block(pool)) == "input_norm.x@0 ffn_res.dy@0 ");
  CHECK(open(models::moe_block(pool, 3)) == "input_norm.x@0 ffn_res.dy@0 ");
  CHECK(open(models::language_model(models::llama_block(pool), 3, models::Border::split)) == "in_emb.x@0 ");
  CHECK_THROWS_AS(models::moe_block(pool, 0), ConfigError);
  CHECK_THROWS_AS(models::stack(models::llama_block(pool), 0), ConfigError);
}
