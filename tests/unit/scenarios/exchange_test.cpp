// How a scenario says that gradients are exchanged and networks are split: what is read, what it costs, and
// what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "models/frameworks/framework.hpp"
#include "models/split/split_training.hpp"
#include "reports/result/result.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

std::string scenario_text(const std::string& workload, const std::string& cluster) {
  return fmt::format(R"({{"name": "x", "data": {{"samples": 1281167, "bytes_per_sample": "0.1 MB"}},
 "storage": {{"array": "none"}}, "workloads": [{{{}}}], "cluster": {{{}}}}})",
                     workload, cluster);
}

Result run(const std::string& workload, const std::string& cluster) {
  return simulate(read_scenario(parse_json(scenario_text(workload, cluster), "x.json"), "x.json"), catalog(),
                  nullptr, {});
}

double rate(const std::string& exchange, int nodes = 4) {
  const std::string vgg =
      R"("model": "vgg16", "epochs": 1, "batch_per_gpu": 32, "precision": "fp32", "exchange": )";
  return run(vgg + exchange, fmt::format(R"("node": "dgx1_p100", "nodes": {})", nodes))
      .workloads.front()
      .prediction.samples_per_s.value;
}

/// ResNet-50 in a framework that exchanges gradients as `more` says.
Result framework_run(const std::string& framework, const std::string& more, int nodes) {
  const std::string resnet =
      R"("model": "resnet50", "epochs": 1, "batch_per_gpu": 32, "precision": "fp32", "framework": )";
  return run(fmt::format(R"({}{{"name": "{}"}}{})", resnet, framework, more),
             fmt::format(R"("node": "dgx1_p100", "nodes": {})", nodes));
}

double framework_rate(const std::string& framework, const std::string& more, int nodes) {
  return framework_run(framework, more, nodes).workloads.front().prediction.samples_per_s.value;
}

std::string refusal(const std::string& exchange) {
  return error_text([&] { (void)read_exchange(parse_json(exchange, "x.json")); });
}

std::string split_refusal(const std::string& split, const std::string& more = "") {
  const std::string gpt = R"("model": "gpt2-8.3b", "epochs": 1, "precision": "bf16", "parallelism": )";
  return error_text([&] { (void)run(gpt + split + more, R"("node": "dgx_a100_640gb", "nodes": 4)"); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an exchange is a name or an object laid over a named one") {
  CHECK(exchange_named("horovod").cycle == Duration{5e-3});
  const ExchangeSpec x = exchange_named(
      read_exchange(parse_json(R"({"method": "horovod", "bucket": "16 MiB", "stack": "tcp"})", "x.json")));
  CHECK(x.bucket == Bytes{16.0 * 1024 * 1024});
  CHECK(x.cycle == Duration{5e-3});
  CHECK(x.comm.stack == NetworkStack::tcp);
  const ExchangeSpec servers = exchange_named(
      R"({"strategy": "parameter_server", "servers": 4, "mode": "stale", "staleness": 3, "split": "4 MB"})");
  CHECK(servers.servers.count == 4);
  CHECK(servers.servers.mode == ServerMode::stale);
  CHECK(servers.servers.staleness == 3);
  CHECK(servers.servers.split == Bytes{4e6});
}

TEST_CASE("an exchange that nobody names is the framework's own") {
  CHECK(exchange_on("", framework_profile({.name = "mxnet"}), 1).servers.on_gpus);
  CHECK(framework_rate("mxnet", "", 2) == framework_rate("mxnet", R"(, "exchange": "ps_lite")", 2));
  CHECK(framework_rate("tensorflow", "", 2) == framework_rate("tensorflow", R"(, "exchange": "horovod")", 2));
  CHECK(framework_rate("caffe", "", 2) == framework_rate("caffe", R"(, "exchange": "after_backward")", 2));
  const auto said = [](const Result& result) -> std::string {
    for (const Assumption& a : result.assumptions)
      if (a.what.code() == "gradient_exchange")
        return reports::value_of(a) + ", " + std::string{reports::to_string(a.confidence)};
    return "";
  };
  CHECK(said(framework_run("mxnet", "", 2)) == "servers_on_gpus in a node, ps_lite between nodes, default");
  CHECK(said(framework_run("mxnet", R"(, "exchange": "ring")", 2)) == "ring, scenario");
}

TEST_CASE("an array cut over all servers costs each its part, a whole one its server all") {
  const std::string cut = R"({"strategy": "parameter_server", "split": "1 MB"})",
                    whole = R"({"strategy": "parameter_server"})";
  // Every node sends and serves the same bytes, however many there are; the server of VGG-16's first fully
  // connected layer gets it from all of them.
  CHECK(rate(cut, 32) > 1.8 * rate(cut, 16));
  CHECK(rate(whole, 32) < 1.2 * rate(whole, 16));
}

TEST_CASE("VGG-16's exchange decides what 32 GPUs are worth") {
  const double plain = rate(R"("all_reduce")");
  // One server process per node over TCP copies 1.25 GB/s: the collapse that Horovod was written for.
  CHECK(rate(R"({"method": "grpc_servers"})") < 0.2 * plain);
  // The factors of three large layers are less than the layers; averaging every eighth step is less, too.
  CHECK(rate(R"({"strategy": "hybrid", "factors": true})") > plain);
  CHECK(rate(R"({"strategy": "local_sgd", "local_steps": 8})") > plain);
  CHECK(rate(R"({"after_backward": true, "bucket": "1 TB"})") < plain);
  CHECK(rate(R"({"method": "after_backward", "stack": "tcp", "compression": "fp16"})") >
        rate(R"({"method": "after_backward", "stack": "tcp"})"));
  CHECK(rate(R"({"strategy": "model_parallel", "ways": 4})") > 0);
}

TEST_CASE("a key-value store hands whole arrays from hop to hop") {
  const std::string pipelined = R"({"method": "ps_lite", "whole_arrays": false, "add_rate": "20 GB/s"})";
  // The first fully connected layer, 411 MB: sum, push, pull and copies in sequence instead of at once.
  CHECK(rate("\"ps_lite\"") < 0.9 * rate(pipelined));
  CHECK(rate(R"({"method": "ps_lite", "add_rate": "20 GB/s"})") < 0.95 * rate(pipelined));
  // In a hybrid cube mesh three of seven GPUs reach the one that adds over PCIe alone, through one link.
  CHECK(rate(R"({"method": "ps_lite", "sums_on_gpu": true})") < rate("\"ps_lite\""));
  CHECK(contains(refusal(R"({"whole_arrays": true})"), "has no meaning for this strategy"));
}

TEST_CASE("packing a bucket, waiting for a tick and one group cost what they hide from others") {
  const double plain = rate(R"({"bucket": "64 MiB"})");
  const double packed = rate(R"({"bucket": "64 MiB", "packs": true})");
  CHECK(packed < plain);
  // Arrays by themselves need no buffer.
  CHECK(rate(R"({"bucket": "0 B", "packs": true})") == rate(R"({"bucket": "0 B"})"));
  // The last gradients wait for the tick that follows back-propagation.
  CHECK(rate(R"({"after_backward": true, "bucket": "1 TB", "cycle": "50 ms"})") <
        rate(R"({"after_backward": true, "bucket": "1 TB"})"));
  // One group is all gradients at the end; XLA's clusters hand them over then as well.
  CHECK(rate(R"({"groups": 1})") == doctest::Approx(rate(R"({"after_backward": true, "bucket": "1 TB"})")));
  CHECK(rate(R"("horovod_after_backward")") < rate(R"("horovod")"));
}

TEST_CASE("exchanges that cannot be are refused at their place") {
  CHECK(contains(refusal(R"({"method": "gossip"})"), "x.json:1:12"));
  CHECK(contains(refusal(R"({"method": "horovd"})"), "did you mean"));
  CHECK(contains(refusal(R"({"ways": 4})"), "belongs to \"strategy\""));
  CHECK(contains(refusal(R"({"servers": 4})"), "parameter_server"));
  CHECK(contains(refusal(R"({"strategy": "hybrid"})"), "need \"ways\""));
  CHECK(contains(refusal(R"({"strategy": "local_sgd"})"), "local_steps"));
  CHECK(contains(refusal(R"({"strategy": "parameter_server", "staleness": 2})"), "\"mode\": \"stale\""));
  CHECK(contains(refusal(R"({"compression": "zip"})"), "known: none, fp16"));
  CHECK(contains(refusal(R"({"transport": "udp"})"), "one of nccl"));
  CHECK(contains(refusal(R"({"bucket": 25})"), "needs a unit"));
  CHECK(contains(refusal(R"({"bucket": "25 s"})"), "x.json:1"));
  CHECK(contains(refusal(R"({"colour": 1})"), "unknown key"));
  CHECK(contains(refusal(R"([])"), "a string is expected"));
  CHECK(contains(refusal(R"({"strategy": "model_parallel", "ways": 1e9})"), "must be from 2 to 1024"));
}

TEST_CASE("a transformer that no GPU holds is split over them") {
  const Result result = run(R"("model": "gpt2-8.3b", "epochs": 1, "precision": "bf16",
    "framework": {"name": "megatron-lm"},
    "parallelism": {"tensor": 8, "pipeline": 4, "micro_batch": 4, "micro_batches": 32, "zero_stage": 1, "recompute": true})",
                            R"("node": "dgx_a100_640gb", "nodes": 16)");
  const WorkloadResult& w = result.workloads.front();
  CHECK(w.answer.feasible);
  CHECK(w.global_batch == 4 * 4 * 32);  // 128 GPUs are four replicas
  CHECK(w.prediction.scaling_efficiency.value > 0.2);
  CHECK(w.prediction.scaling_efficiency.value < 1);
  // Whole on every GPU it does not fit: 18 bytes a parameter are 150 GB.
  const Result whole = run(R"("model": "gpt2-8.3b", "epochs": 1, "batch_per_gpu": 1, "precision": "bf16")",
                           R"("node": "dgx_a100_640gb", "nodes": 16)");
  CHECK_FALSE(whole.workloads.front().answer.feasible);
}

TEST_CASE("experts are spread over GPUs") {
  const auto mixtral = [](const std::string& split) {
    return run(R"("model": "mixtral-8x7b", "epochs": 1, "precision": "bf16",
      "framework": {"name": "megatron-core"}, "parallelism": )" +
                   split,
               R"("node": "dgx_h100", "nodes": 4)")
        .workloads.front();
  };
  const WorkloadResult spread = mixtral(
      R"({"tensor": 2, "pipeline": 4, "expert": 8, "micro_batches": 16, "zero_stage": 1, "recompute": true})");
  CHECK(spread.answer.feasible);
  CHECK(spread.global_batch == 4 * 16);
  // Without it, two GPUs hold the experts that eight share: 12 of 47 billion weights, 6 bytes each and more.
  CHECK_FALSE(
      mixtral(R"({"tensor": 2, "pipeline": 1, "micro_batches": 16, "zero_stage": 1, "recompute": true})")
          .answer.feasible);
}

TEST_CASE("splits that cannot be are refused at their place") {
  CHECK(contains(split_refusal(R"({"tensor": 7})"), "no multiple of 7 x 1"));
  CHECK(contains(split_refusal(R"({"tensor": 0})"), "must be from 1 to 1024"));
  CHECK(contains(split_refusal(R"({"pipeline": 3})"), "no multiple of 1 x 3"));
  CHECK(contains(split_refusal(R"({"interleave": 2})"), "in a pipeline only"));
  CHECK(contains(split_refusal(R"({"shard_group": 8})"), "nothing is sharded"));
  CHECK(contains(split_refusal(R"({"zero_stage": 1, "shard_group": 1})"), "must be from 2 to"));
  CHECK(contains(split_refusal(R"({"zero_stage": 1, "shard_group": "all"})"), "x.json"));
  CHECK(contains(split_refusal(R"({"zero_stage": 1, "shard_group": 5})"), "no multiple of the 5 of a shard"));
  CHECK(contains(split_refusal(R"({"zero_stage": 1, "shard_group": 8, "expert": 8})"), "beside experts"));
  CHECK(contains(split_refusal(R"({"zero_stage": 2, "expert": 8})"), "beside experts"));
  CHECK(contains(split_refusal(R"({"expert": 5})"), "no multiple of the 5 that share experts"));
  CHECK(contains(split_refusal(R"({"expert": 8})"), "without experts"));
  CHECK(contains(split_refusal(R"({"zero_stage": 4})"), "must be from 0 to 3"));
  CHECK(contains(split_refusal(R"({"stages": 4})"), "unknown key"));
  CHECK(contains(split_refusal(R"({"pipeline": 2, "schedule": "dualpipe_v"})"), "unknown schedule"));
  CHECK(contains(split_refusal(R"({"pipeline": 1, "schedule": "dualpipe"})"), "no pipeline"));
  CHECK(contains(split_refusal(R"({"pipeline": 3, "schedule": "dualpipe"})"), "from both ends"));
  CHECK(contains(split_refusal(R"({"pipeline": 2, "schedule": "dualpipe", "zero_stage": 2})"), "DualPipe"));
  for (const int micro_batches : {2, 5})
    CHECK(contains(split_refusal(fmt::format(
                       R"({{"pipeline": 2, "schedule": "dualpipe", "micro_batches": {}}})", micro_batches)),
                   fmt::format("and there are {}", micro_batches)));
  CHECK(contains(split_refusal(R"({"pipeline": 2, "schedule": "dualpipe"})", R"(, "global_batch": 16)"),
                 "DualPipe takes an even number"));
  CHECK(contains(split_refusal(R"({"pipeline": 2, "schedule": 1})"), "a string is expected"));
  CHECK(contains(split_refusal(R"({"schedule": "gpipe"})"), "no pipeline"));
  CHECK(contains(split_refusal(R"({"pipeline": 2, "interleave": 2, "schedule": "zero_bubble"})"),
                 "only the schedule 1F1B"));
  CHECK(contains(split_refusal(R"({"zero_stage": 3, "overlap_gradients": false})"), "always leave"));
  CHECK(contains(split_refusal(R"([8, 4])"), "an object is expected"));
  CHECK(contains(split_refusal("{}", R"(, "batch_per_gpu": 4)"), "micro_batch"));
  CHECK(contains(split_refusal("{}", R"(, "exchange": {"compression": "dgc"})"), "uncompressed"));
  CHECK(contains(split_refusal("{}", R"(, "exchange": "parameter_server")"), "all-reduce"));
  const std::string image = R"("model": "resnet50", "epochs": 1, "parallelism": {"tensor": 2})";
  CHECK(contains(error_text([&] { (void)run(image, R"("node": "dgx1_p100", "nodes": 1)"); }),
                 "no plain transformer"));
}

TEST_CASE("a split has a time on sizes that are no multiple of it") {
  Mesh asked;
  asked.tensor = 8;
  asked.pipeline = 4;
  asked.interleave = 2;
  CHECK(fitting(asked, 64).gpus() == 32);
  CHECK(fitting(asked, 24).pipeline == 3);
  CHECK(fitting(asked, 8).interleave == 1);
  CHECK(fitting(asked, 4).tensor == 4);
  CHECK(fitting(asked, 1).gpus() == 1);
  asked.shard_group = 8;
  CHECK(fitting(asked, 32 * 8).shard_group == 8);
  CHECK(fitting(asked, 32 * 12).shard_group == 4);
  CHECK(gpu_unit(asked) == 8 * 4 * 8);
}

TEST_CASE("issue 23, item 26: a scenario says whether PCIe switches pass data on between GPUs") {
  const auto rate_with = [](const std::string& more) {
    return run(R"("model": "vgg16", "epochs": 1, "batch_per_gpu": 8, "precision": "fp32",
      "exchange": "after_backward")",
               R"("node": "svail_titanx8", "gpus_per_job": 2)" + more)
        .workloads.front()
        .prediction.samples_per_s.value;
  };
  CHECK(rate_with(R"(, "peer_to_peer": false)") < 0.9 * rate_with(""));
  CHECK(rate_with(R"(, "peer_to_peer": true)") == rate_with(""));
  CHECK(contains(error_text([&] { (void)rate_with(R"(, "peer_to_peer": "no")"); }), "x.json"));
}

TEST_CASE("issue 23, item 15: a straggler under asynchronous servers costs its own part of the rate") {
  const auto rate_of = [](const std::string& slow) {
    return run(R"("model": "resnet50", "epochs": 1, "batch_per_gpu": 64, "precision": "fp32",
      "exchange": {"strategy": "parameter_server", "mode": "asynchronous", "split": "4 MB"})",
               R"("node": "dgx1v_16gb", "nodes": 8)" + slow)
        .workloads.front();
  };
  const WorkloadResult whole = rate_of(""), slow = rate_of(R"(, "stragglers": [{"compute": 0.3}])");
  CHECK(slow.prediction.samples_per_s.value / whole.prediction.samples_per_s.value ==
        doctest::Approx(7.3 / 8).epsilon(0.01));
  // Crews that never meet have no common step, and the answer says what its figures are.
  CHECK(slow.run.period == 0);
  CHECK(whole.run.period == 1);
}

TEST_CASE("a framework that nobody knows is a warning, not a silent guess") {
  const auto warned = [](const std::string& name) {
    const Result r = simulate(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/imagenet_mn1.json",
                                            {"workloads.0.framework.name=" + name}),
                              Catalog::builtin());
    std::string all;
    for (const doc::Reason& warning : r.warnings) all += reports::reason_text(warning);
    return all.find("No framework is known as \"" + name + "\"") != std::string::npos;
  };
  CHECK(warned("chaner"));
  CHECK_FALSE(warned("chainer"));
}
