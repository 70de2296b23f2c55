#include "models/recorded/kineto_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

/// Times of a trace are microseconds.
constexpr double us = 1e-6;
constexpr int most_ranks_of_run = 1 << 24;

/// What a call of the host does.
enum class CallKind { launch, waits_for_event, synchronizes };

/// On a core of the host or on a stream of the GPU.
struct Event {
  std::string name;
  double start = 0, length = 0;  ///< us
  const Json* arguments = nullptr;

  [[nodiscard]] double end() const { return start + length; }
};

struct Call {
  Event event;
  CallKind kind = CallKind::launch;
  std::int64_t correlation = -1, thread = 0;
};

struct Span {
  double start = 0, end = 0;
  std::int64_t thread = 0;
};

/// The events of a file, sorted by their start.
struct Events {
  std::vector<Event> on_gpu;
  std::vector<Call> calls;
  std::vector<Span> steps, updates, backward;
};

double number_or(const Json& object, std::string_view key, double fallback) {
  const Json* found = object.find(key);
  return found && found->kind() == JsonKind::number ? found->number() : fallback;
}

std::int64_t whole_or(const Json& object, std::string_view key, std::int64_t fallback) {
  constexpr double most = 9e15;
  return static_cast<std::int64_t>(
      std::clamp(number_or(object, key, static_cast<double>(fallback)), -most, most));
}

std::string text_or_none(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  if (!found) return {};
  if (found->kind() == JsonKind::string) return found->string();
  return found->kind() == JsonKind::number ? fmt::format("{:.0f}", found->number()) : std::string{};
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What a call of the runtime or the driver does; nothing for other calls.
std::optional<CallKind> kind_of_call(std::string_view name) {
  if (has(name, "StreamWaitEvent")) return CallKind::waits_for_event;
  if (has(name, "Synchronize")) return CallKind::synchronizes;
  if (has(name, "Launch") || has(name, "Memcpy") || has(name, "Memset")) return CallKind::launch;
  return std::nullopt;
}

void add_event(const Json& json, Events& out) {
  const std::string category = text_or_none(json, "cat");
  Event event;
  event.name = text_or_none(json, "name");
  event.start = number_or(json, "ts", 0);
  event.length = number_or(json, "dur", 0);
  if (event.length < 0) json.fail("an event of negative length", "\"dur\" counts microseconds from \"ts\"");
  event.arguments = json.find("args");
  const Span span{event.start, event.end(), whole_or(json, "tid", 0)};
  if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
    if (event.arguments) out.on_gpu.push_back(std::move(event));
  } else if (category == "cuda_runtime" || category == "cuda_driver") {
    const auto kind = kind_of_call(event.name);
    if (!kind || !event.arguments) return;
    const std::int64_t correlation = whole_or(*event.arguments, "correlation", -1);
    out.calls.push_back({std::move(event), *kind, correlation, span.thread});
  } else if (category == "user_annotation") {
    if (event.name.starts_with("ProfilerStep")) out.steps.push_back(span);
    if (has(event.name, "ptimizer.step")) out.updates.push_back(span);
  } else if (category == "cpu_op" && event.name.starts_with("autograd::engine::evaluate_function")) {
    out.backward.push_back(span);
  }
}

Events events_of(const Json& file) {
  Events out;
  for (const Json& event : file.require("traceEvents").array()) {
    if (event.kind() != JsonKind::object) event.fail("an event is an object");
    if (text_or_none(event, "ph") == "X") add_event(event, out);
  }
  const auto by_start = [](const auto& a, const auto& b) {
    return a.start < b.start;
  };
  std::ranges::stable_sort(out.on_gpu, by_start);
  std::ranges::stable_sort(out.calls, by_start, &Call::event);
  for (auto* spans : {&out.steps, &out.updates, &out.backward}) std::ranges::stable_sort(*spans, by_start);
  return out;
}

/// Whether moments, asked for in ascending order, lie in spans.
class Spans {
 public:
  explicit Spans(std::vector<Span> sorted) : spans_{std::move(sorted)} {}

  bool hold(double time, std::optional<std::int64_t> thread = {}) {
    for (; next_ < spans_.size() && spans_[next_].start <= time; ++next_) {
      double& end = ends_[spans_[next_].thread];
      end = std::max(end, spans_[next_].end);
    }
    return std::ranges::any_of(
        ends_, [&](const auto& of) { return time <= of.second && (!thread || *thread == of.first); });
  }

 private:
  std::vector<Span> spans_;
  std::size_t next_ = 0;
  std::map<std::int64_t, double> ends_;  ///< by thread, of the spans that have begun
};

Bytes element_of(const std::string& type, const Json& at) {
  static const std::map<std::string_view, double> sizes = {
      {"Float", 4}, {"Half", 2}, {"BFloat16", 2}, {"Double", 8},        {"Int", 4},         {"Long", 8},
      {"Byte", 1},  {"Char", 1}, {"Bool", 1},     {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"Short", 2},
      {"float", 4}, {"half", 2}, {"bfloat16", 2}, {"UInt8", 1},         {"ComplexFloat", 8}};
  const auto found = sizes.find(type);
  if (found == sizes.end())
    at.fail("a collective of \"" + type + "\", whose width is unknown",
            "\"dtype\" is \"Float\", \"BFloat16\", ...");
  return Bytes{found->second};
}

/// "[0, 1, 2, 3]"; of a long list, which the profiler cuts ("[0, 8, ..., 120]"), nothing.
std::vector<int> listed_ranks(const Json& arguments) {
  std::vector<int> out;
  const std::string text = text_or_none(arguments, "Process Group Ranks");
  if (text.empty() || has(text, "...")) return out;
  try {
    const Json list = parse_json(text, "");
    for (const Json& rank : list.array()) {
      if (rank.integer() < 0 || rank.integer() >= most_ranks_of_run) rank.fail("no rank");
      out.push_back(static_cast<int>(rank.integer()));
    }
  } catch (const Error& e) {
    arguments.fail("\"Process Group Ranks\": " + e.message(), "expected a text such as \"[0, 1]\"");
  }
  return out;
}

/// Operation, group and payload from the arguments of a NCCL kernel.
void set_collective_of(const Json& arguments, RecordedStep& step, RecordedTask& task) {
  const std::string name = lower_case(text_or_none(arguments, "Collective name"));
  static constexpr std::pair<std::string_view, Collective> known[] = {
      {"allreduce", Collective::all_reduce},
      {"allgather", Collective::all_gather},
      {"reduce_scatter", Collective::reduce_scatter},
      {"reducescatter", Collective::reduce_scatter},
      {"broadcast", Collective::broadcast},
      {"all_to_all", Collective::all_to_all},
      {"alltoall", Collective::all_to_all},
      {"barrier", Collective::all_reduce},
      {"send", Collective::send_recv},
      {"recv", Collective::send_recv},
      {"reduce", Collective::broadcast}};
  const auto found = std::ranges::find_if(known, [&](const auto& k) { return has(name, k.first); });
  if (found == std::end(known))
    arguments.fail(
        "the collective \"" + name + "\" has no model",
        "all-reduce, reduce, all-gather, broadcast, all-to-all, reduce-scatter and barrier have one");
  task.operation = found->second;
  const Bytes element = element_of(text_or_none(arguments, "dtype"), arguments);
  const double in = number_or(arguments, "In msg nelems", 0), out = number_or(arguments, "Out msg nelems", 0);
  if (in < 0 || out < 0) arguments.fail("a message of negative size", "sizes count elements");
  task.payload = (task.operation == Collective::all_gather ? out : in) * element;
  const double size = number_or(arguments, "Group size", 0);
  const std::string group = text_or_none(arguments, "Process Group Name");
  if (task.operation == Collective::send_recv) {
    task.kind = has(name, "send") ? RecordedKind::send : RecordedKind::receive;
    const double peer = number_or(arguments, task.kind == RecordedKind::send ? "Dst Rank" : "Src Rank", -1);
    if (!(peer >= 0 && peer < most_ranks_of_run))
      arguments.fail("a message to or from no rank", "record with PyTorch 2.3 or newer");
    task.peer = static_cast<int>(peer);
    task.queue = task.kind == RecordedKind::send ? "messages sent" : "messages received";
    return;
  }
  task.kind = RecordedKind::collective;
  task.group = size == step.world ? std::string{} : group;
  task.queue = "collectives" + (task.group.empty() ? "" : " of group " + task.group);
  if (task.group.empty() || step.groups.contains(task.group)) return;
  std::vector<int> ranks = listed_ranks(arguments);
  if (static_cast<double>(ranks.size()) != size)
    arguments.fail(
        fmt::format("group \"{}\" has {:g} ranks, and the trace names {}", group, size, ranks.size()),
        "name them in the scenario: \"groups\": {\"" + group + "\": [0, 1]}");
  step.groups.emplace(task.group, std::move(ranks));
}

/// Makes the tasks of one rank from the events of one step.
class KinetoReader {
 public:
  KinetoReader(Events events, RecordedStep& step, RecordedRank& rank)
      : events_{std::move(events)},
        updates_{std::move(events_.updates)},
        backward_{std::move(events_.backward)},
        step_{step},
        rank_{rank} {}

  void read() {
    if (!events_.steps.empty()) window_ = events_.steps.back();
    for (const Event& event : events_.on_gpu)
      by_correlation_[whole_or(*event.arguments, "correlation", -2)].push_back(&event);
    last_host_ = std::max(window_.start, first_call());
    for (const Call& call : events_.calls)
      if (window_.start <= call.event.start && call.event.start <= window_.end) take(call);
    if (!any_kernel_)
      throw Error{"no kernel that was launched in the step",
                  {.file = rank_.file},
                  "record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"};
    if (!events_.steps.empty() && window_.end > last_host_)
      add_host("host, behind the last launch", window_.end);
    if (!any_wait_) let_update_wait();
    set_order(rank_, waits_, std::vector<double>(rank_.tasks.size(), 0));
  }

 private:
  struct Launched {
    std::size_t task;
    double end;  ///< of a queue ascending
  };

  [[nodiscard]] double first_call() const {
    return events_.calls.empty() ? 0 : events_.calls.front().event.start;
  }

  RecordedTask& add(std::string name) {
    RecordedTask& task = rank_.tasks.emplace_back();
    waits_.emplace_back();
    task.id = rank_.tasks.size() - 1;
    task.name = std::move(name);
    return task;
  }

  /// The host, from its last task until `end`, less what it waited.
  void add_host(std::string name, double end) {
    RecordedTask& task = add(std::move(name));
    task.kind = RecordedKind::host;
    task.queue = "host";
    task.phase = phase_;
    task.time = Duration{std::max(0.0, end - last_host_ - waited_) * us};
    waits_.back() = std::exchange(host_waits_, {});
    waited_ = 0;
    last_host_ = std::max(last_host_, end);
  }

  void take(const Call& call) {
    const Event& event = call.event;
    if (call.kind == CallKind::waits_for_event) {
      ++event_waits_;
      any_wait_ = true;
      return;
    }
    if (call.kind == CallKind::synchronizes) {
      // Of two waits at the same time, one is waited.
      const double from = std::max({event.start, last_host_, waited_until_});
      waited_ += std::max(0.0, event.end() - from);
      waited_until_ = std::max(waited_until_, event.end());
      for (const auto& [queue, launched] : launched_)
        if (const auto over = last_over(launched, event.end())) host_waits_.push_back(*over);
      return;
    }
    const auto found = by_correlation_.find(call.correlation);
    if (found == by_correlation_.end()) return;
    phase_ = updates_.hold(event.start)                 ? RecordedPhase::optimizer
             : backward_.hold(event.start, call.thread) ? RecordedPhase::backward
                                                        : RecordedPhase::forward;
    add_host("launch", event.end());
    const std::size_t launch = rank_.tasks.size() - 1;
    for (const Event* kernel : found->second) add_kernel(*kernel, launch);  // several of a CUDA graph
  }

  void add_kernel(const Event& event, std::size_t launch) {
    RecordedTask& task = add(event.name);
    task.phase = phase_;
    const bool nccl = event.name.starts_with("nccl");
    if (nccl) {
      if (!event.arguments->find("Collective name"))
        event.arguments->fail("a NCCL kernel that does not say what it exchanges",
                              "record with PyTorch 2.3 or newer, and with ProfilerActivity.CPU");
      set_collective_of(*event.arguments, step_, task);
    } else {
      any_kernel_ = true;
      task.kind = RecordedKind::kernel;
      task.time = Duration{event.length * us};
      task.matrix = is_matrix_kernel(event.name);
      task.queue = "kernels of stream " + text_or_none(*event.arguments, "stream");
    }
    auto& waits = waits_.back();
    waits.push_back(launch);
    for (const auto& [queue, before] : launched_) {
      const bool is_exchange = rank_.tasks[before.back().task].kind != RecordedKind::kernel;
      const bool asked = nccl ? !is_exchange : event_waits_ > 0;
      if (queue == task.queue || !asked) continue;
      if (const auto over = last_over(before, event.start)) waits.push_back(*over);
    }
    // NCCL waits for one event, that of its input.
    event_waits_ = nccl ? event_waits_ - std::min(event_waits_, 1) : 0;
    launched_[task.queue].push_back({rank_.tasks.size() - 1, event.end()});
  }

  /// The last task of a queue that was over by then.
  static std::optional<std::size_t> last_over(const std::vector<Launched>& queue, double time) {
    const auto behind = std::ranges::upper_bound(queue, time, {}, &Launched::end);
    if (behind == queue.begin()) return std::nullopt;
    return std::prev(behind)->task;
  }

  /// The trace does not say who waits for the exchanges: the update does, or what comes last.
  void let_update_wait() {
    std::optional<std::size_t> update, last;
    for (std::size_t i = 0; i < rank_.tasks.size(); ++i) {
      if (rank_.tasks[i].kind != RecordedKind::kernel) continue;
      last = i;
      if (!update && rank_.tasks[i].phase == RecordedPhase::optimizer) update = i;
    }
    const std::size_t waiter = update.value_or(*last);
    for (std::size_t i = 0; i < waiter; ++i)
      if (rank_.tasks[i].kind == RecordedKind::collective) waits_[waiter].push_back(i);
  }

  Events events_;
  Spans updates_, backward_;
  RecordedStep& step_;
  RecordedRank& rank_;
  Span window_{-1e300, 1e300, 0};
  std::unordered_map<std::int64_t, std::vector<const Event*>> by_correlation_;
  std::map<std::string, std::vector<Launched>> launched_;  ///< by queue
  std::vector<std::vector<std::uint64_t>> waits_;
  std::vector<std::uint64_t> host_waits_;  ///< of the next launch
  RecordedPhase phase_ = RecordedPhase::forward;
  double last_host_ = 0, waited_ = 0, waited_until_ = -1e300;
  int event_waits_ = 0;  ///< cudaStreamWaitEvent since the last kernel
  bool any_wait_ = false, any_kernel_ = false;
};

Json parse_trace(const std::string& file) {
  const JsonLimits limits{.max_bytes = std::size_t{256} << 20, .max_values = 16'000'000};
  std::string text = read_file(file, limits.max_bytes);
  if (text.starts_with("\x1f\x8b")) throw Error{"a packed file", {.file = file}, "unpack it: gunzip"};
  return parse_json(std::move(text), file, limits);
}

}  // namespace

RecordedStep read_kineto(const std::vector<std::string>& files,
                         std::map<std::string, std::vector<int>> groups) {
  RecordedStep step;
  step.groups = std::move(groups);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Json file = parse_trace(files[i]);
    int world = 1, own = static_cast<int>(i);
    if (const Json* info = file.find("distributedInfo"); info && info->kind() == JsonKind::object) {
      ObjectReader in{*info};
      if (in.has("world_size")) world = static_cast<int>(in.integer("world_size", 1, most_ranks_of_run));
      if (in.has("rank")) own = static_cast<int>(in.integer("rank", 0, most_ranks_of_run));
    }
    if (i > 0 && world != step.world)
      throw Error{fmt::format("a trace of {} ranks beside one of {}", world, step.world),
                  {.file = files[i]},
                  "the files must be of the same run"};
    step.world = world;
    RecordedRank& rank = step.ranks.emplace_back();
    rank.file = files[i];
    rank.rank = own;
    rank.stands_for = std::max(1, world / static_cast<int>(files.size()));
    KinetoReader{events_of(file), step, rank}.read();
  }
  std::ranges::sort(step.ranks, {}, &RecordedRank::rank);
  check_recorded(step);
  return step;
}

}  // namespace rackcast
