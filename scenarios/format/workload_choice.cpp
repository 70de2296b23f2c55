#include "scenarios/format/workload_choice.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "models/frameworks/sentence_batches.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/layer_arguments.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/own_file.hpp"
#include "sim/json/plain_json.hpp"
#include "sim/json/reader.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

namespace {

/// The length that sentences of a set have in the batches of a script that is known.
std::int64_t sentence_length(ObjectReader& in, const WorkloadSpec& workload) {
  SentenceQuery query{.network = workload.model,
                      .set = in.string("sentences"),
                      .framework = workload.framework,
                      .version = version_on(workload.framework, workload.framework_version, "")};
  if (in.has("longest")) query.cut = static_cast<double>(in.integer("longest", 1, 4'000'000));
  if (const auto sentences = sentence_batches(query)) return sentences->length();
  in.require("sentences")
      .fail(
          "no script is known that trains \"" + workload.model + "\" on \"" + query.set +
              "\" with this framework, version and longest side",
          R"(for example "gnmt" on "wmt16-en-de" in PyTorch "NGC 19.05" with "longest": 75; else {"tokens": 38})");
}

}  // namespace

void read_model(const Json& json, WorkloadSpec& out) {
  if (json.kind() != JsonKind::object) {
    out.model = name_or_file(json);
    return;
  }
  out.model = own_network(json, {}).title;
  out.network = plain_json(json).dump();
}

void read_adapters(ObjectReader& in, WorkloadSpec& out) {
  const Json* json = in.find("adapters");
  if (!json) return;
  if (!out.parallelism)
    json->fail("adapters have a model beside \"parallelism\" only", "add \"parallelism\": {}");
  if (out.parallelism->zero_stage >= 2)
    json->fail("adapters beside weights or gradients sharded over replicas have no model",
               "\"zero_stage\": 0 or 1");
  ObjectReader members{*json};
  out.adapters.rank = static_cast<int>(members.integer("rank", 1, 65'536));
  out.adapters.mlp = members.boolean_or("mlp", false);
  members.finish();
}

void read_passes(ObjectReader& in, WorkloadSpec& out) {
  if (const Json* passes = in.find("accumulation")) {
    out.accumulation = static_cast<double>(in.integer("accumulation", 1, 1'000'000));
    if (out.global_batch)
      passes->fail("the global batch gives the number of passes", "leave one of them out");
    if (out.parallelism)
      passes->fail("a network split over GPUs has micro-batches instead",
                   "\"micro_batches\" of \"parallelism\"");
  }
  if (const Json* recompute = in.find("recompute")) {
    if (out.parallelism)
      recompute->fail("what is computed again is said beside the split", "\"recompute\" of \"parallelism\"");
    out.recompute = read_recomputation(*recompute);
  }
}

void read_sample(const Json& json, WorkloadSpec& out) {
  ObjectReader in{json};
  out.sample_where = json.where();
  const Json* image = in.find("image");
  if (image) {
    const auto& sides = image->array();
    if (sides.size() != 3)
      image->fail("an image is height, width and channels", "write \"image\": [224, 224, 3]");
    out.image.emplace();
    for (std::size_t i = 0; i < 3; ++i)
      (*out.image)[i] = checked_integer(sides[i], "image", 1, i < 2 ? 20'000 : 1'000);
  }
  if (in.has("tokens")) {
    if (image) json.fail("a sample is an image or a sequence, not both");
    out.tokens = in.integer("tokens", 1, 4'000'000);
  }
  if (in.has("sentences")) {
    if (image || out.tokens) json.fail("a sample is an image, a sequence or sentences, one of them");
    out.tokens = sentence_length(in, out);
  }
  if (!image && !out.tokens)
    json.fail("a sample needs \"image\" or \"tokens\", or \"sentences\" of a set", "write {\"tokens\": 512}");
  in.finish();
}

void read_software(const Json& json, WorkloadSpec& out) {
  ObjectReader in{json};
  out.framework = in.string("name");
  out.framework_version = in.string_or("version", "");
  out.framework_script = in.string_or("script", "");
  out.cudnn = in.string_or("cudnn", "");
  constexpr std::array<std::string_view, 3> convolutions{"library", "native", "fbfft"};
  if (in.has("convolutions")) {
    const std::size_t chosen = in.choice("convolutions", convolutions);
    out.convolutions = chosen == 0 ? std::string_view{} : convolutions[chosen];
  }
  out.channels_last = in.boolean_or("channels_last", false);
  out.compiled = in.boolean_or("compiled", false);
  in.finish();
}

void read_optimizer(ObjectReader& in, WorkloadSpec& out) {
  if (!in.has("optimizer")) return;
  constexpr std::array<std::string_view, 3> names{"momentum", "adam", "none"};
  const std::size_t chosen = in.choice("optimizer", names);
  out.updates = chosen < 2;
  if (out.updates) out.optimizer = static_cast<Optimizer>(chosen);
  if (!out.updates && in.has("parallelism"))
    in.require("optimizer")
        .fail("a step without an update has no model for a network split over GPUs",
              "\"momentum\" or \"adam\", or no \"parallelism\"");
}

const WorkloadSpec& workload_named(const Scenario& scenario, std::string_view wanted) {
  std::string known;
  for (const WorkloadSpec& one : scenario.workloads) {
    if (wanted.empty() ? scenario.workloads.size() == 1 : one.model == wanted) return one;
    known += (known.empty() ? "" : ", ") + one.model;
  }
  throw Error{wanted.empty() ? std::string{"the scenario has several workloads"}
                             : "the scenario has no workload \"" + std::string{wanted} + "\"",
              scenario.text.where(), "choose one with --workload: " + known};
}

Optimizer optimizer_of(const WorkloadSpec& spec, const Workload& network) {
  return spec.optimizer.value_or(usual_optimizer(network));
}

Workload network_of(const WorkloadSpec& spec) {
  const auto load = [&spec](const WorkloadOptions& options) {
    if (spec.network.empty()) return load_workload(spec.model, options);
    return own_network(parse_json(spec.network, spec.where.file), options);
  };
  Workload published = load({});
  if (!spec.image && !spec.tokens) return published;
  WorkloadOptions options;
  options.image = spec.image;
  options.seq_len = spec.tokens;
  try {
    return load(options);
  } catch (const Error& e) {
    throw Error{published.title + ": " + e.message(), spec.sample_where, "leave \"sample\" out"};
  }
}

bool lacks_profile(const WorkloadSpec& spec) {
  const auto title = [](const std::string& name) {
    return framework_profile(FrameworkQuery{.name = name}).title;
  };
  return !spec.framework.empty() && spec.framework != "generic" && title(spec.framework) == title("generic");
}

std::string framework_of(const WorkloadSpec& spec, const GpuSpec& gpu) {
  if (!spec.parallelism || !(spec.framework.empty() || lacks_profile(spec))) return spec.framework;
  return gpu.peak.bf16_tensor ? "megatron-core" : "megatron";
}

FrameworkQuery software_of(const WorkloadSpec& spec, const GpuSpec& gpu) {
  FrameworkQuery out;
  out.name = framework_of(spec, gpu);
  out.version = version_on(out.name, spec.framework_version, gpu.line.first_container);
  out.script = spec.framework_script;
  out.cudnn = spec.cudnn;
  out.kernels = spec.convolutions;
  out.channels_last = spec.channels_last;
  out.compiled = spec.compiled;
  return out;
}

}  // namespace rackcast
