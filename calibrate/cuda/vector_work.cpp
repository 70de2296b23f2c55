// Vector kernels, memory patterns and launches: the module's own kernels.
#include <algorithm>

#include "calibrate/cuda/test_data.hpp"
#include "calibrate/cuda/work.hpp"

namespace rackcast::cuda {
namespace {

/// Up to four arrays of rows x columns, in rotating sets.
class VectorWork : public Work {
 public:
  VectorWork(int device, const GpuTask& task)
      : Work(device),
        operation_(task.pattern),
        seed_(task.seed),
        rows_(static_cast<int>(number(task, "rows"))),
        columns_(static_cast<int>(number(task, "columns"))) {
    const int arrays = arrays_of(operation_);
    const int sets = rotating_sets(device, count() * 4 * static_cast<std::size_t>(arrays));
    set_rotation(sets);
    for (int i = 0; i < sets; ++i) {
      std::vector<Buffer> set;
      for (int a = 0; a < arrays; ++a) {
        set.emplace_back(count() * 4);
        fill(Format::fp32, set.back().get(), count(), seed_ + static_cast<std::uint64_t>(a), stream());
      }
      // Second moments are squares.
      if (operation_ == "adam") relu(set[3].as<float>(), set[3].as<float>(), count(), stream());
      sets_.push_back(std::move(set));
    }
    check(cudaStreamSynchronize(stream()), "fill");
  }

 private:
  static int arrays_of(const std::string& operation) {
    if (operation == "add" || operation == "sgd") return 3;
    if (operation == "adam") return 4;
    if (operation == "relu" || operation == "reduce" || operation == "softmax" || operation == "layer_norm")
      return 2;
    throw CudaFailure{"unknown vector operation \"" + operation + "\"", false};
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_);
  }

  void call(int set) override {
    const auto at = static_cast<std::size_t>(set);
    const auto data = [&](std::size_t array) {
      return sets_[at][array].as<float>();
    };
    if (operation_ == "add") add(data(0), data(1), data(2), count(), stream());
    if (operation_ == "relu") relu(data(0), data(1), count(), stream());
    if (operation_ == "reduce") reduce_rows(data(0), data(1), rows_, columns_, stream());
    if (operation_ == "softmax") softmax_rows(data(0), data(1), rows_, columns_, stream());
    if (operation_ == "layer_norm") layer_norm_rows(data(0), data(1), rows_, columns_, stream());
    if (operation_ == "sgd") sgd(data(0), data(1), data(2), count(), stream());
    if (operation_ == "adam") adam(data(0), data(1), data(2), data(3), count(), stream());
  }

  /// The same arithmetic in double for one element; optimizers as often as this set was stepped.
  [[nodiscard]] double expected(std::size_t i) const {
    const auto a = [&](std::size_t at) {
      return static_cast<double>(test_value(seed_, at));
    };
    const double b = test_value(seed_ + 1, i);
    if (operation_ == "add") return a(i) + b;
    if (operation_ == "relu") return std::max(a(i), 0.0);
    const auto columns = static_cast<std::size_t>(columns_);
    if (operation_ == "sgd" || operation_ == "adam") {
      double weight = a(i), m = test_value(seed_ + 2, i),
             v = operation_ == "adam" ? std::max(0.0f, test_value(seed_ + 3, i)) : 0;
      for (int step = 0; step < calls(last_set()); ++step) {
        if (operation_ == "sgd") {
          m = 0.9 * m + b;
          weight -= 0.01 * m;
        } else {
          m = 0.9 * m + 0.1 * b;
          v = 0.999 * v + 0.001 * b * b;
          weight -= 0.001 * m / (std::sqrt(v) + 1e-8);
        }
      }
      return weight;
    }
    const std::size_t begin = operation_ == "reduce" ? i * columns : i / columns * columns;
    double sum = 0, squares = 0, powers = 0;
    for (std::size_t j = begin; j < begin + columns; ++j) {
      sum += a(j);
      squares += a(j) * a(j);
      powers += std::exp(a(j));
    }
    if (operation_ == "reduce") return sum;
    if (operation_ == "softmax") return std::exp(a(i)) / powers;
    const double mean = sum / columns_;
    return (a(i) - mean) / std::sqrt(squares / columns_ - mean * mean + 1e-5);
  }

  std::string compare() override {
    const std::size_t out = operation_ == "add" ? 2 : operation_ == "sgd" || operation_ == "adam" ? 0 : 1;
    const std::size_t results = operation_ == "reduce" ? static_cast<std::size_t>(rows_) : count();
    for (std::uint64_t probe = 0; probe < 64; ++probe) {
      const std::size_t i = mixed(seed_ + probe) % results;
      const double want = expected(i);
      const std::string wrong =
          difference("element", i, element(sets_[static_cast<std::size_t>(last_set())][out], Format::fp32, i),
                     want, 1e-3, std::max(std::abs(want), operation_ == "softmax" ? 1e-4 : 1.0));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  std::string operation_;
  std::uint64_t seed_;
  int rows_, columns_;
  std::vector<std::vector<Buffer>> sets_;
};

class MemoryWork : public Work {
 public:
  MemoryWork(int device, const GpuTask& task)
      : Work(device),
        pattern_(task.pattern),
        seed_(task.seed),
        bytes_(static_cast<std::size_t>(number(task, "bytes"))),
        sink_(4) {
    const std::size_t span = pattern_ == "strided" ? 8 * bytes_ : bytes_;
    const std::size_t all = pattern_ == "copy" ? 2 * span : span;
    const int sets = rotating_sets(device, all);
    set_rotation(sets);
    for (int i = 0; i < sets; ++i) {
      Set set{Buffer{span}, pattern_ == "copy" ? Buffer{span} : Buffer{}};
      fill(Format::fp32, set.from.get(), span / 4, seed_, stream());
      sets_.push_back(std::move(set));
    }
    check(cudaStreamSynchronize(stream()), "fill");
  }
  [[nodiscard]] bool verifies() const override { return pattern_ == "copy" || pattern_ == "write"; }

 private:
  struct Set {
    Buffer from, to;
  };

  void call(int set) override {
    const Set& s = sets_[static_cast<std::size_t>(set)];
    if (pattern_ == "read") {
      read_all(s.from.get(), bytes_, sink_.as<float>(), stream());
    } else if (pattern_ == "write") {
      write_all(s.from.get(), bytes_, 0.5f, stream());
    } else if (pattern_ == "copy") {
      copy_all(s.from.get(), s.to.get(), bytes_, stream());
    } else if (pattern_ == "strided") {
      read_strided(s.from.as<float>(), bytes_, sink_.as<float>(), stream());
    } else if (pattern_ == "gather") {
      read_gathered(s.from.as<float>(), bytes_, sink_.as<float>(), stream());
    } else {
      throw CudaFailure{"unknown memory pattern \"" + pattern_ + "\"", false};
    }
  }

  std::string compare() override {
    const Set& s = sets_[static_cast<std::size_t>(last_set())];
    const bool copy = pattern_ == "copy";
    for (std::uint64_t probe = 0; probe < 64; ++probe) {
      const std::size_t i = mixed(seed_ + probe) % (bytes_ / 16 * 4);
      const std::string wrong = difference("element", i, element(copy ? s.to : s.from, Format::fp32, i),
                                           copy ? test_value(seed_, i) : 0.5f, 0, 1);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  std::string pattern_;
  std::uint64_t seed_;
  std::size_t bytes_;
  Buffer sink_;
  std::vector<Set> sets_;
};

/// Empty kernels one by one, or a graph of them launched at once. Nothing to verify.
class LaunchWork : public Work {
 public:
  LaunchWork(int device, const GpuTask& task) : Work(device) {
    if (task.pattern != "graph") return;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (std::int64_t i = 0; i < number(task, "count"); ++i) empty(stream());
    check(cudaStreamEndCapture(stream(), &graph), "cudaStreamEndCapture");
    graph_ = instantiated(graph);
  }
  LaunchWork(const LaunchWork&) = delete;
  LaunchWork& operator=(const LaunchWork&) = delete;
  ~LaunchWork() override {
    if (graph_) (void)cudaGraphExecDestroy(graph_);
  }
  [[nodiscard]] bool verifies() const override { return false; }

 private:
  [[nodiscard]] bool captures() const override { return false; }
  void call(int) override {
    if (graph_) {
      check(cudaGraphLaunch(graph_, stream()), "cudaGraphLaunch");
    } else {
      empty(stream());
    }
  }

  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

std::unique_ptr<GpuWork> make_vector(int device, const GpuTask& task) {
  return std::make_unique<VectorWork>(device, task);
}
std::unique_ptr<GpuWork> make_memory(int device, const GpuTask& task) {
  return std::make_unique<MemoryWork>(device, task);
}
std::unique_ptr<GpuWork> make_launch(int device, const GpuTask& task) {
  return std::make_unique<LaunchWork>(device, task);
}

}  // namespace rackcast::cuda
