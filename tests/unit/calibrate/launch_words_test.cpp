// Words of shell scripts, sections of YAML and overrides of Hydra, read as options of a training.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/import/import.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

ImportResult import_options(const std::string& text, const std::string& kind = "megatron-args") {
  static const Catalog catalog = Catalog::builtin();
  return import_text(catalog, {.kind = kind, .path = "train.sh", .program = "t"}, text);
}

nlohmann::json scenario_of_options(const std::string& text, const std::string& kind = "megatron-args") {
  return nlohmann::json::parse(import_options(text, kind).text).at("scenario");
}

nlohmann::json split_of_options(const std::string& text) {
  return scenario_of_options(text).at("workloads").at(0).at("parallelism");
}

std::string warnings_of_options(const std::string& text, const std::string& kind = "megatron-args") {
  std::string out;
  for (const std::string& warning : import_options(text, kind).warnings) out += warning + "\n";
  return out;
}

std::string complaint_of_options(const std::string& text) {
  return error_text([&] { (void)import_options(text); });
}

std::string tiny_network(const std::string& more = {}) {
  return "--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "
         "--max-position-embeddings 2048 --vocab-size 32000 --micro-batch-size 2 " +
         more;
}

TEST_CASE("quotations with a dollar sign end where their quotes do") {
  const auto split = split_of_options(
      "IFS=$'\\n\\t'\nA=$'it\\'s \\x38'\nTP=$\"4\"\nPP=$'\\x32'\n" +
      tiny_network("--tensor-model-parallel-size $TP --tensorboard-dir $'a\\\\' "
                   "--pipeline-model-parallel-size $PP --context-parallel-size $'\\62' --save 'x'"));
  CHECK(split["tensor"] == 4);
  CHECK(split["pipeline"] == 2);
  CHECK(split["context"] == 2);
  CHECK(contains(complaint_of_options("IFS=$'\\n\\'\n" + tiny_network()),
                 "train.sh:1:5: this quotation has no end"));
  CHECK(contains(complaint_of_options(tiny_network("--micro-batch-size $'\\u00e9\\q\\xzz\\0'")),
                 "--micro-batch-size is \"?\\q\\xzz\""));
}

TEST_CASE("a backslash between single quotes is a letter like any other") {
  const auto split =
      split_of_options("A='\\'\n" + tiny_network("--tensor-model-parallel-size 4 --save 'a\\'"));
  CHECK(split["tensor"] == 4);
  CHECK(contains(complaint_of_options(tiny_network("--micro-batch-size 'a\\b'")),
                 "--micro-batch-size is \"a\\b\""));
}

}  // namespace
}  // namespace rackcast
