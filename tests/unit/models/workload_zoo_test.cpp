#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

double percent_off(double ours, double published) {
  return 100 * (ours / published - 1);
}

TEST_CASE(
    "every network agrees with its published parameter and FLOP counts within one percent or say why not") {
  for (const WorkloadSummary& summary : workload_list()) {
    CAPTURE(summary.name);
    const Workload plain = load_workload(summary.name);
    const PublishedCounts& published = plain.published;
    const bool usual =
        published.tolerance == 0.01 && (published.parameters > 0 || published.forward_flop > Flop{0});
    CHECK_MESSAGE((usual || !published.notes.empty()),
                  "notes must say why no count is checked within one percent or say why not");
    const double bound = 100 * published.tolerance;
    if (published.parameters > 0) {
      const Workload counted = load_workload(summary.name, {.auxiliary_heads = published.auxiliary_heads});
      const double ours = counted.parameters();
      CAPTURE(ours);
      CHECK(std::abs(percent_off(ours, published.parameters)) < bound);
    }
    if (published.forward_flop > Flop{0}) {
      const double ours = plain.forward_flop().base();
      CAPTURE(ours);
      CHECK(std::abs(percent_off(ours, published.forward_flop.base())) < bound);
    }
  }
}

TEST_CASE("every alias finds its network, in any case and with or without hyphens") {
  for (const WorkloadSummary& summary : workload_list()) {
    CAPTURE(summary.name);
    CHECK(find_workload(summary.name) == summary.name);
    for (const std::string& alias : summary.aliases) {
      CAPTURE(alias);
      CHECK(find_workload(alias) == summary.name);
    }
  }
}

TEST_CASE("names that people type are understood") {
  struct Typed {
    const char *text, *name;
  };
  for (const Typed& typed : {Typed{"squeezenet-1.0", "squeezenet1.0"},
                             {"SqueezeNet", "squeezenet1.0"},
                             {"ResNet-50", "resnet50"},
                             {"resnet_50", "resnet50"},
                             {"VGG16", "vgg16"},
                             {"llama-3-70b", "llama3-70b"},
                             {"llama3.1-405b", "llama3.1-405b"},
                             {"Llama-3.1-8B", "llama3.1-8b"},
                             {"llama-3-3b", "llama3.2-3b"},
                             {"gpt3", "gpt3-175b"},
                             {"GPT-3", "gpt3-175b"},
                             {"gpt2", "gpt2-small"},
                             {"deepseek-r1", "deepseek-v3"},
                             {"mixtral", "mixtral-8x7b"},
                             {"bloom", "bloom-176b"},
                             {"kimi-k2", "kimi-k2"},
                             {"meta-llama/Llama-3.1-70B", "llama3.1-70b"},
                             {"meta-llama/Llama-3.1-70B-Instruct", "llama3.1-70b"},
                             {"mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b"},
                             {"deepseek-ai/DeepSeek-V3", "deepseek-v3"},
                             {"Qwen/Qwen2.5-72B", "qwen2.5-72b"},
                             {"openai/gpt-oss-120b", "gpt-oss-120b"},
                             {"EfficientNet-B0", "efficientnet-b0"},
                             {"efficientnet_v2_s", "efficientnet-v2-s"},
                             {"mobilenetv3", "mobilenet-v3-large"},
                             {"ConvNeXt-T", "convnext-tiny"},
                             {"swin-t", "swin-tiny"},
                             {"regnet_y_8gf", "regnet-y-8gf"},
                             {"YOLOv8s", "yolov8s"},
                             {"resnet-20", "resnet20-cifar"},
                             {"ssd320-fpn", "ssd320-resnet50-fpn"}}) {
    CAPTURE(typed.text);
    CHECK(find_workload(typed.text) == typed.name);
  }
  CHECK_FALSE(find_workload("mine/network.json"));
  CHECK_THROWS_WITH_AS(load_workload("lama3.1-8b"), doctest::Contains("no workload is called"), Error);
}

TEST_CASE("every network names its source, input and layers") {
  std::set<std::string> names;
  for (const WorkloadSummary& summary : workload_list()) {
    CAPTURE(summary.name);
    CHECK(names.insert(summary.name).second);
    for (const std::string& alias : summary.aliases) CHECK(names.insert(alias).second);
    const Workload workload = load_workload(summary.name);
    CHECK_FALSE(workload.title.empty());
    CHECK_FALSE(workload.source.empty());
    CHECK_FALSE(workload.published.source.empty());
    CHECK(workload.input_bytes > Bytes{0});
    CHECK(workload.activation_elements() > 0);
    CHECK(layer_table(workload).size() == workload.operators.size());
    std::set<std::string> layers;
    bool reads_input = false;
    for (const Operator& op : workload.operators) {
      CAPTURE(op.name);
      CHECK(layers.insert(op.name).second);
      CHECK(op.shape.elements_in > 0);
      CHECK(op.shape.elements_out > 0);
      reads_input = reads_input || op.first_layer;
    }
    CHECK(reads_input);
  }
}

}  // namespace
}  // namespace rackcast
