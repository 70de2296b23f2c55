/// Command lines of servers: options as `vllm serve --help`, `trtllm-serve --help` and
/// `python3 -m sglang.launch_server --help` print them (vLLM 0.11, TensorRT-LLM 1.0, SGLang 0.5).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "scenarios/launch/launch_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

/// Names under which scenarios know a server, without hyphens and in lower case.
struct ServerName {
  std::string_view known, target;
};
constexpr std::array server_names{ServerName{"vllm", "vllm"},
                                  ServerName{"sglang", "sglang"},
                                  ServerName{"tensorrt", "tensorrt-llm"},
                                  ServerName{"tensorrtllm", "tensorrt-llm"},
                                  ServerName{"trtllm", "tensorrt-llm"},
                                  ServerName{"nim", "tensorrt-llm"},
                                  ServerName{"triton", "tensorrt-llm"}};

std::string_view target_of_server(const std::string& name) {
  std::string plain;
  for (const char c : name)
    if (c != '-' && c != '_' && c != ' ') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const auto* found = std::ranges::find(server_names, plain, &ServerName::known);
  return found == server_names.end() ? "vllm" : found->target;
}

/// "bfloat16"; of weights with fewer bits, what is computed beside them.
std::string_view dtype_name(Precision precision) {
  if (precision == Precision::fp32 || precision == Precision::tf32) return "float32";
  return precision == Precision::fp16 || precision == Precision::mixed ? "float16" : "bfloat16";
}

/// What the weights must be where the server does not make them so itself; empty: it takes any.
std::string_view weights_of(Precision precision, std::string_view server) {
  switch (precision) {
    case Precision::fp8:
      return server == "tensorrt-llm" ? "in FP8, as Model Optimizer writes them" : "";
    case Precision::int8:
      return "and activations in 8-bit integers, W8A8";
    case Precision::fp4:
      return "and activations in NVFP4";
    default:
      return {};
  }
}

void check_precision(const ServingLaunch& launch, std::string_view server) {
  if (server != "tensorrt-llm" || dtype_name(launch.precision) != "float32") return;
  throw Error{fmt::format("TensorRT-LLM has no argument that makes a language model compute in {}",
                          to_string(launch.precision)),
              launch.precision_where, "\"precision\": \"bf16\", or --for vllm or sglang"};
}

/// The longest request that is taken: a power of two that holds prompt and answer, within what the network
/// can look back on.
std::int64_t longest_request(const ServingLaunch& launch) {
  const auto mean = static_cast<std::uint64_t>(launch.prompt + launch.output) + 1;
  const auto whole = static_cast<std::int64_t>(std::bit_ceil(std::min<std::uint64_t>(mean, 1u << 30)));
  return launch.longest_context > 0 ? std::min(whole, launch.longest_context) : whole;
}

std::string vllm_command(const ServingLaunch& launch) {
  std::string out = fmt::format(
      "vllm serve \"$MODEL\" --tensor-parallel-size {} --dtype {} --max-num-seqs {} --max-model-len "
      "\"$LONGEST\"",
      launch.gpus_per_copy, dtype_name(launch.precision), launch.requests);
  if (launch.precision == Precision::fp8) out += " --quantization fp8";
  if (launch.drafts > 0 && launch.predicts_ahead)
    out += fmt::format(R"( --speculative-config '{{"method": "mtp", "num_speculative_tokens": {}}}')",
                       launch.drafts);
  else if (launch.drafts > 0)
    out += fmt::format(
        R"( --speculative-config "{{\"method\": \"eagle3\", \"model\": \"$DRAFT\", \"num_speculative_tokens\": {}}}")",
        launch.drafts);
  return out;
}

std::string sglang_command(const ServingLaunch& launch) {
  std::string out = fmt::format(
      "python3 -m sglang.launch_server --model-path \"$MODEL\" --tp-size {} --dtype {} "
      "--max-running-requests {} "
      "--context-length \"$LONGEST\"",
      launch.gpus_per_copy, dtype_name(launch.precision), launch.requests);
  if (launch.precision == Precision::fp8) out += " --quantization fp8";
  if (launch.drafts > 0)
    out += fmt::format(
        " --speculative-algorithm {} --speculative-num-steps {} --speculative-eagle-topk 1 "
        "--speculative-num-draft-tokens {}",
        launch.predicts_ahead ? "NEXTN" : "EAGLE3 --speculative-draft-model-path \"$DRAFT\"", launch.drafts,
        launch.drafts + 1);
  return out;
}

std::string tensorrt_llm_command(const ServingLaunch& launch) {
  std::string out = fmt::format(
      "trtllm-serve \"$MODEL\" --backend pytorch --tp_size {} --max_batch_size {} --max_seq_len \"$LONGEST\"",
      launch.gpus_per_copy, launch.requests);
  if (launch.drafts > 0) out += " --extra_llm_api_options speculation.yaml";
  return out;
}

std::string command_of(const ServingLaunch& launch, std::string_view server) {
  if (server == "sglang") return sglang_command(launch);
  return server == "tensorrt-llm" ? tensorrt_llm_command(launch) : vllm_command(launch);
}

std::string head_of_server(const ServingLaunch& launch, std::string_view server) {
  std::string out = fmt::format("#!/bin/bash\n# {}\n# {} in {}, on each of {} x {} behind a load balancer.\n",
                                printable(launch.scenario), printable(launch.network),
                                to_string(launch.precision), launch.nodes, printable(launch.node));
  out += launch.nodes_from == NodesFrom::size ? "# `rackcast size` chose the nodes and the GPUs of a copy.\n"
                                              : "# The nodes are as the scenario states them.\n";
  out += fmt::format(
      "# Means of a request: {:g} tokens of prompt, {:g} of answer. A copy takes at most {} requests at "
      "once.\n",
      launch.prompt, launch.output, launch.requests);
  if (const std::string_view weights = weights_of(launch.precision, server); !weights.empty())
    out += fmt::format("# MODEL must have weights {}: the server tells it from the files.\n", weights);
  else if (server == "tensorrt-llm")
    out += "# The server computes in the 16-bit format that the files of MODEL name.\n";
  return out;
}

/// What the scenario does not say. Published weights are in 16 bits, or in what the network was trained in.
std::string model_variables(const ServingLaunch& launch, std::string_view server) {
  const std::string_view weights = weights_of(launch.precision, server);
  std::string out = launch.published.empty() || !weights.empty()
                        ? fmt::format("MODEL=\"${{MODEL:?folder or name of the weights{}{}}}\"\n",
                                      weights.empty() ? "" : " ", weights)
                        : fmt::format("MODEL=\"${{MODEL:-{}}}\"\n", launch.published);
  if (launch.drafts > 0 && !launch.predicts_ahead)
    out += "DRAFT=\"${DRAFT:?folder or name of an EAGLE-3 model that guesses tokens for MODEL}\"\n";
  return out;
}

/// The file that tells TensorRT-LLM how tokens are guessed.
std::string speculation_file(const ServingLaunch& launch) {
  if (launch.predicts_ahead)
    return fmt::format(
        "printf 'speculative_config:\\n  decoding_type: MTP\\n  num_nextn_predict_layers: {}\\n' > "
        "speculation.yaml\n",
        launch.drafts);
  return fmt::format(
      "printf 'speculative_config:\\n  decoding_type: Eagle\\n  max_draft_len: {}\\n  "
      "speculative_model_dir: %s\\n' \"$DRAFT\" > speculation.yaml\n",
      launch.drafts);
}

}  // namespace

std::string server_text(const ServingLaunch& launch, std::string_view server) {
  check_precision(launch, server);
  const int copies = std::max(1, launch.gpus_per_node / launch.gpus_per_copy);
  std::string out =
      head_of_server(launch, server) + "set -euo pipefail\n# To fill in, here or in the environment:\n";
  out += model_variables(launch, server);
  out += fmt::format("LONGEST=\"${{LONGEST:-{}}}\"  # tokens of the longest request with its answer\n\n",
                     longest_request(launch));
  if (server == "tensorrt-llm" && launch.drafts > 0) out += speculation_file(launch);
  if (copies == 1) return out + command_of(launch, server) + " --port 8000\n";
  out += fmt::format(
      "for COPY in $(seq 0 {}); do  # each on GPUs of its own\n"
      "  FIRST=$((COPY * {}))\n"
      "  CUDA_VISIBLE_DEVICES=$(seq -s , \"$FIRST\" $((FIRST + {}))) \\\n"
      "    {} --port $((8000 + COPY)) &\n"
      "done\n"
      "wait\n",
      copies - 1, launch.gpus_per_copy, launch.gpus_per_copy - 1, command_of(launch, server));
  return out;
}

std::string launch_text(const Json& text, const std::string& file, const Catalog& catalog,
                        const std::string& target, const std::string& workload, const RunControl& control) {
  const bool trains = target == "megatron" || target == "slurm";
  const bool serving = text.kind() == JsonKind::object && text.find("serving") != nullptr;
  if (!target.empty() && trains == serving)
    throw Error{fmt::format("{} {}, and this scenario {}", target, trains ? "trains" : "serves",
                            serving ? "serves" : "trains"),
                text.where(), serving ? "--for vllm, tensorrt-llm or sglang" : "--for slurm or megatron"};
  if (serving) {
    if (!workload.empty())
      throw Error{"a scenario that serves has one network", text.where(), "leave --workload out"};
    const ServingLaunch launch = serving_launch(text, file, catalog, control);
    return server_text(launch, target.empty() ? target_of_server(launch.server) : std::string_view{target});
  }
  const TrainingLaunch launch = training_launch(text, file, catalog, workload, control);
  return target == "megatron" ? megatron_text(launch) : slurm_text(launch);
}

}  // namespace rackcast
