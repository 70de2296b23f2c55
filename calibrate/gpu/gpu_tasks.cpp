// The designed set of shapes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibrate/gpu/gpu_experiments.hpp"

namespace rackcast {
namespace {

using Count = std::int64_t;

NamedTask named(std::string kind, std::string rest, GpuTask task, double amount, std::string unit) {
  return {kind + "/" + rest, kind, std::move(task), amount, std::move(unit)};
}

NamedTask gemm(const std::string& precision, Count m, Count n, Count k, Count count = 1) {
  GpuTask task{.kind = GpuTaskKind::gemm, .precision = precision};
  task.numbers = {{"m", m}, {"n", n}, {"k", k}, {"count", count}};
  return named("gpu_gemm", fmt::format("{}/m{}/n{}/k{}/count{}", precision, m, n, k, count), std::move(task),
               2.0 * double(m) * double(n) * double(k) * double(count), "FLOP");
}

struct Conv {
  Count n, c, h, k, r, pad, stride;
};

NamedTask conv(const std::string& precision, const std::string& pass, const Conv& s) {
  GpuTask task{.kind = GpuTaskKind::convolution, .precision = precision, .pattern = pass};
  task.numbers = {{"n", s.n},
                  {"c", s.c},
                  {"h", s.h},
                  {"w", s.h},
                  {"k", s.k},
                  {"r", s.r},
                  {"s", s.r},
                  {"pad_h", s.pad},
                  {"pad_w", s.pad},
                  {"stride_h", s.stride},
                  {"stride_w", s.stride}};
  const Count out = (s.h + 2 * s.pad - s.r) / s.stride + 1;
  const double flop = 2.0 * double(s.n * out * out * s.k) * double(s.c * s.r * s.r);
  return named(
      "gpu_conv",
      fmt::format("{}/{}/n{}/c{}/h{}/k{}/r{}/stride{}", precision, pass, s.n, s.c, s.h, s.k, s.r, s.stride),
      std::move(task), flop, "FLOP");
}

/// Layers of AlexNet, VGG, ResNet-50 and Inception-v3: large and small images, 1x1 to 11x11, strides.
constexpr Conv conv_shapes[] = {
    {64, 3, 224, 64, 7, 3, 2},    {32, 64, 56, 64, 3, 1, 1},   {32, 128, 28, 128, 3, 1, 1},
    {32, 256, 14, 256, 3, 1, 1},  {32, 512, 7, 512, 3, 1, 1},  {32, 64, 56, 256, 1, 0, 1},
    {32, 256, 56, 64, 1, 0, 1},   {32, 512, 28, 128, 1, 0, 1}, {32, 1024, 14, 256, 1, 0, 1},
    {32, 2048, 7, 512, 1, 0, 1},  {32, 256, 56, 512, 1, 0, 2}, {8, 64, 224, 64, 3, 1, 1},
    {8, 256, 56, 256, 3, 1, 1},   {64, 48, 27, 128, 5, 2, 1},  {32, 192, 35, 64, 5, 2, 1},
    {1, 256, 14, 256, 3, 1, 1},   {4, 512, 28, 128, 1, 0, 1},  {128, 256, 14, 1024, 1, 0, 1},
    {16, 128, 28, 128, 3, 1, 2},  {16, 64, 112, 128, 3, 1, 2}, {1, 64, 56, 64, 3, 1, 1},
    {128, 512, 7, 2048, 1, 0, 1}, {4, 3, 224, 96, 11, 2, 4},   {64, 128, 28, 512, 1, 0, 1},
};

struct VectorOperation {
  std::string_view name;
  double words;  ///< that each element moves: inputs and outputs of four bytes
};
/// Adam reads weight, gradient and two moments, writes weight and moments; SGD with momentum reads three and
/// writes two; normalisation and softmax read twice where a row does not stay on the chip, but once at least.
constexpr VectorOperation vector_operations[] = {
    {"add", 3}, {"relu", 2}, {"reduce", 1}, {"softmax", 2}, {"layer_norm", 2}, {"sgd", 5}, {"adam", 7},
};

void keep_each_once(std::vector<NamedTask>& tasks) {
  std::ranges::sort(tasks, {}, &NamedTask::id);
  // clang 14 cannot instantiate std::ranges::unique of libstdc++ 12.
  const auto end =
      std::unique(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.id == b.id; });
  tasks.erase(end, tasks.end());
}

}  // namespace

std::vector<NamedTask> gemm_tasks(const std::vector<std::string>& precisions, int sm_count, Effort effort) {
  std::vector<NamedTask> out;
  const Count sm = std::max(1, sm_count);
  for (const std::string& p : precisions) {
    // Square, from launch-bound to full.
    for (const Count d : {256, 512, 1024, 2048, 4096, 8192}) out.push_back(gemm(p, d, d, d));
    // One tile of 128 x 128 for each SM: exactly a wave, one tile fewer, one more.
    for (const Count tiles : {sm - 1, sm, sm + 1})
      out.push_back(gemm(p, 128 * std::max<Count>(1, tiles), 128, 4096));
    // Edges of tiles (one element more than a multiple; 8 elements keep 16-byte alignment).
    out.push_back(gemm(p, 1024 + 8, 1024 + 8, 1024));
    out.push_back(gemm(p, 4096 + 8, 4096, 1024));
    // Thin: small batches of dense layers; short and deep products.
    for (const Count n : {8, 16, 32, 64, 128}) out.push_back(gemm(p, 4096, n, 4096));
    out.push_back(gemm(p, 2048, 2048, 64));
    out.push_back(gemm(p, 256, 256, 16384));
    out.push_back(gemm(p, 64, 64, 32768));
    // Layers of transformers and classifiers; batches of attention.
    out.push_back(gemm(p, 3072, 2048, 1024));
    out.push_back(gemm(p, 1000, 256, 2048));
    out.push_back(gemm(p, 128, 128, 64, 192));
    out.push_back(gemm(p, 512, 512, 64, 96));
    if (effort == Effort::quick) continue;
    out.push_back(gemm(p, 30720, 4096, 1024));
    out.push_back(gemm(p, 1024, 4096, 4096));
    out.push_back(gemm(p, 4096, 1024, 4096));
    out.push_back(gemm(p, 1760, 1760, 1760));
    out.push_back(gemm(p, 5120, 9232, 2560));
    if (effort == Effort::standard) continue;
    for (const Count n : {16, 256, 1024})
      for (const Count d : {1024, 2560, 8192}) out.push_back(gemm(p, d, n, d + 8));
    out.push_back(gemm(p, 16384, 16384, 4096));
  }
  // A few shapes coincide on some devices (two waves may be equal): each once.
  keep_each_once(out);
  return out;
}

std::vector<NamedTask> convolution_tasks(bool half, Effort effort) {
  std::vector<NamedTask> out;
  std::vector<std::string> precisions{"fp32"};
  if (half) precisions.emplace_back("fp16");
  for (const std::string& precision : precisions)
    for (const char* pass : {"forward", "data_gradient", "weight_gradient"})
      for (const Conv& s : conv_shapes) {
        if (s.c < 8 && pass == std::string_view{"data_gradient"}) continue;  // first layers need none
        out.push_back(conv(precision, pass, s));
      }
  if (effort == Effort::thorough) {
    for (const Count batch : {2, 16, 64})
      for (const char* pass : {"forward", "data_gradient", "weight_gradient"})
        out.push_back(conv("fp32", pass, {batch, 128, 28, 128, 3, 1, 1}));
    keep_each_once(out);
  }
  return out;
}

double vector_bytes(const std::string& operation, std::int64_t rows, std::int64_t columns) {
  for (const VectorOperation& v : vector_operations)
    if (v.name == operation) return 4 * v.words * double(rows) * double(columns);
  return 0;
}

std::vector<NamedTask> vector_tasks(Effort effort) {
  std::vector<NamedTask> out;
  std::vector<std::pair<Count, Count>> shapes{{64, 256},     {512, 1024},  {4096, 1024}, {16384, 1024},
                                              {1024, 32768}, {65536, 128}, {32768, 4096}};
  if (effort != Effort::quick)
    shapes.insert(shapes.end(), {{128, 768}, {8192, 768}, {2048, 8192}, {256, 65536}});
  for (const VectorOperation& v : vector_operations)
    for (const auto& [rows, columns] : shapes) {
      const std::string operation{v.name};
      GpuTask task{.kind = GpuTaskKind::vector, .pattern = operation};
      task.numbers = {{"rows", rows}, {"columns", columns}};
      out.push_back(named("gpu_vector", fmt::format("{}/rows{}/columns{}", operation, rows, columns),
                          std::move(task), vector_bytes(operation, rows, columns), "B"));
    }
  return out;
}

std::vector<NamedTask> attention_tasks(bool half, Effort effort) {
  std::vector<NamedTask> out;
  std::vector<std::string> precisions{"fp32"};
  if (half) precisions.emplace_back("fp16");
  for (const std::string& precision : precisions)
    for (const Count sequence : {128, 512, 2048}) {
      const Count batch = effort == Effort::quick ? 4 : 8, heads = 16, depth = 64;
      GpuTask task{.kind = GpuTaskKind::attention, .precision = precision};
      task.numbers = {{"batch", batch}, {"heads", heads}, {"sequence", sequence}, {"depth", depth}};
      const double flop = 4.0 * double(batch * heads) * double(sequence * sequence) * double(depth);
      out.push_back(named(
          "gpu_attention",
          fmt::format("{}/batch{}/heads{}/sequence{}/depth{}", precision, batch, heads, sequence, depth),
          std::move(task), flop, "FLOP"));
    }
  return out;
}

std::vector<NamedTask> memory_tasks(Effort effort) {
  std::vector<NamedTask> out;
  std::vector<Count> sizes{Count{1} << 20, Count{1} << 26, Count{1} << 30};
  if (effort != Effort::quick) sizes.insert(sizes.end(), {Count{1} << 23, Count{1} << 28});
  for (const char* pattern : {"read", "write", "copy", "strided", "gather"})
    for (const Count bytes : sizes) {
      GpuTask task{.kind = GpuTaskKind::memory, .pattern = pattern};
      task.numbers = {{"bytes", bytes}};
      const double moved = double(bytes) * (std::string_view{pattern} == "copy" ? 2 : 1);
      out.push_back(
          named("gpu_memory", fmt::format("{}/bytes{}", pattern, bytes), std::move(task), moved, "B"));
    }
  return out;
}

std::vector<NamedTask> launch_tasks() {
  GpuTask kernel{.kind = GpuTaskKind::launch, .pattern = "kernel"};
  GpuTask graph{.kind = GpuTaskKind::launch, .pattern = "graph"};
  graph.numbers = {{"count", 100}};
  return {named("gpu_launch", "kernel", std::move(kernel), 1, "calls"),
          named("gpu_launch", "graph100", std::move(graph), 100, "calls")};
}

std::vector<NamedTask> host_copy_tasks(Effort effort) {
  std::vector<NamedTask> out;
  std::vector<Count> sizes{Count{1} << 12, Count{1} << 16, Count{1} << 20, Count{1} << 24, Count{1} << 28};
  if (effort == Effort::thorough)
    sizes.insert(sizes.end(), {Count{1} << 14, Count{1} << 18, Count{1} << 22, Count{1} << 26});
  for (const char* direction : {"h2d", "d2h"})
    for (const bool pinned : {true, false})
      for (const Count bytes : sizes) {
        GpuTask task{.kind = GpuTaskKind::host_copy, .pattern = direction, .pinned = pinned};
        task.numbers = {{"bytes", bytes}};
        out.push_back(named("gpu_host_copy",
                            fmt::format("{}/{}/bytes{}", direction, pinned ? "pinned" : "pageable", bytes),
                            std::move(task), double(bytes), "B"));
      }
  return out;
}

std::vector<NamedTask> peer_tasks(int device, int devices, Effort effort) {
  std::vector<NamedTask> out;
  std::vector<Count> sizes{Count{1} << 12, Count{1} << 20, Count{1} << 28};
  if (effort == Effort::thorough) sizes.insert(sizes.end(), {Count{1} << 16, Count{1} << 24});
  for (int peer = 0; peer < devices; ++peer) {
    if (peer == device) continue;
    for (const Count bytes : sizes) {
      GpuTask task{.kind = GpuTaskKind::peer_copy};
      task.numbers = {{"bytes", bytes}};
      task.peer = peer;
      out.push_back(named("gpu_peer_copy", fmt::format("gpu{}-gpu{}/bytes{}", device, peer, bytes),
                          std::move(task), double(bytes), "B"));
    }
  }
  return out;
}

namespace {

/// `name` stands before the size in the id, `numbers` say who takes part.
void add_collectives(std::vector<NamedTask>& out, const std::string& name,
                     const std::map<std::string, std::int64_t>& numbers, Effort effort) {
  const int step = effort == Effort::quick ? 6 : effort == Effort::standard ? 4 : 2;
  for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"})
    for (int power = 12; power <= 30; power += step) {
      const Count bytes = Count{1} << power;
      GpuTask task{.kind = GpuTaskKind::collective, .pattern = operation};
      task.numbers = numbers;
      task.numbers["bytes"] = bytes;
      out.push_back(named("gpu_collective", fmt::format("{}/{}/bytes{}", operation, name, bytes),
                          std::move(task), double(bytes), "B"));
    }
}

/// 2, 4, 8, ... and all.
std::vector<Count> growing(Count all) {
  std::vector<Count> out;
  for (Count n = 2; n < all; n *= 2) out.push_back(n);
  if (all >= 2) out.push_back(all);
  return out;
}

}  // namespace

std::vector<NamedTask> collective_tasks(int devices, Effort effort) {
  std::vector<NamedTask> out;
  for (const Count ranks : growing(devices))
    add_collectives(out, fmt::format("ranks{}", ranks), {{"ranks", ranks}}, effort);
  return out;
}

std::vector<NamedTask> node_collective_tasks(const std::vector<int>& gpus_of_nodes, Effort effort) {
  std::vector<NamedTask> out;
  for (const Count nodes : growing(static_cast<Count>(gpus_of_nodes.size()))) {
    const Count ranks = std::accumulate(gpus_of_nodes.begin(), gpus_of_nodes.begin() + nodes, Count{0});
    add_collectives(out, fmt::format("nodes{}/ranks{}", nodes, ranks), {{"nodes", nodes}, {"ranks", ranks}},
                    effort);
  }
  return out;
}

}  // namespace rackcast
