#pragma once
/// The texts that start a run. Paths, weights, tokenizer, learning rate and container, which no scenario
/// says, are variables of the script. A script stops at the first that is missing and has no usual value.
#include <array>
#include <string>
#include <string_view>

#include "scenarios/launch/launch_plan.hpp"

namespace rackcast {

inline constexpr std::array<std::string_view, 5> launch_targets{"megatron", "slurm", "vllm", "tensorrt-llm",
                                                                "sglang"};

/// Arguments of Megatron-LM's pretrain_gpt.py and of torchrun as arrays of bash, for `source`. Throws Error
/// for a precision in which Megatron-LM does not train, and for stages that it has no arguments for.
std::string megatron_text(const TrainingLaunch& launch);
/// A job of Slurm that starts Megatron-LM with these arguments. Throws Error likewise.
std::string slurm_text(const TrainingLaunch& launch);

/// The command line of vLLM, TensorRT-LLM or SGLang for the copies of one node; `server` is "vllm",
/// "tensorrt-llm" or "sglang". Throws Error for a precision that the server has no argument for. Where the
/// precision is that of the weights alone, the weights are a variable without a usual value.
std::string server_text(const ServingLaunch& launch, std::string_view server);

/// The text for `target`, or without one for what the scenario asks: a Slurm job of a training, the
/// scenario's server or else vLLM where it serves. Throws Error where the target does not do what the
/// scenario asks, and what training_launch() and serving_launch() throw.
std::string launch_text(const Json& text, const std::string& file, const Catalog& catalog,
                        const std::string& target, const std::string& workload, const RunControl& control);

}  // namespace rackcast
