#include "models/recorded/chakra_file.hpp"

#include <chakra.pb.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/lower_case.hpp"

namespace rackcast {

namespace {

namespace pb = ChakraProtoMsg;
using google::protobuf::io::CodedInputStream;

constexpr double us = 1e-6;
constexpr std::string_view group_prefix = "group ";
constexpr const char* exact_duration = "duration_us";  ///< of rackcast alone: not in whole microseconds
constexpr std::size_t most_nodes_of_file = 4'000'000;
constexpr int most_ranks = 1 << 24;

/// A value of an attribute as a number; nothing for text and lists.
std::optional<double> number_of(const pb::AttributeProto& a) {
  using A = pb::AttributeProto;
  switch (a.value_case()) {
    case A::kDoubleVal:
      return a.double_val();
    case A::kFloatVal:
      return a.float_val();
    case A::kInt32Val:
      return a.int32_val();
    case A::kInt64Val:
      return static_cast<double>(a.int64_val());
    case A::kUint32Val:
      return a.uint32_val();
    case A::kUint64Val:
      return static_cast<double>(a.uint64_val());
    case A::kSint32Val:
      return a.sint32_val();
    case A::kSint64Val:
      return static_cast<double>(a.sint64_val());
    case A::kFixed32Val:
      return a.fixed32_val();
    case A::kFixed64Val:
      return static_cast<double>(a.fixed64_val());
    case A::kSfixed32Val:
      return a.sfixed32_val();
    case A::kSfixed64Val:
      return static_cast<double>(a.sfixed64_val());
    case A::kBoolVal:
      return a.bool_val() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

/// What converters of PyTorch traces leave out must be added.
std::string hint_of_missing(std::string_view name) {
  if (name == "comm_src" || name == "comm_dst") return "the rank that a message comes from or goes to";
  return name == "comm_type" ? "a number of CollectiveCommType" : "bytes";
}

/// Attributes of a node by name.
class Attributes {
 public:
  Attributes(const pb::Node& node, const std::string& file) : node_{node}, file_{file} {}

  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const pb::AttributeProto* found = find(name);
    if (!found) return std::nullopt;
    const auto value = number_of(*found);
    if (!value || !(*value >= 0 && *value < 1e21))
      refuse(fmt::format("\"{}\" is no count", name), "a number from 0 to 1e21");
    return value;
  }
  [[nodiscard]] double required(std::string_view name) const {
    const auto value = number(name);
    if (!value) refuse(fmt::format("it has no \"{}\"", name), hint_of_missing(name));
    return *value;
  }
  [[nodiscard]] int rank(std::string_view name) const {
    const double value = required(name);
    if (value >= most_ranks || value != std::floor(value)) refuse(fmt::format("\"{}\" is no rank", name));
    return static_cast<int>(value);
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const pb::AttributeProto* found = find(name);
    return found && found->value_case() == pb::AttributeProto::kStringVal ? found->string_val()
                                                                          : std::string{};
  }
  [[noreturn]] void refuse(const std::string& why, std::string hint = {}) const {
    throw Error{
        fmt::format("node {} (\"{}\"): {}", node_.id(), node_.name(), why), {.file = file_}, std::move(hint)};
  }

 private:
  [[nodiscard]] const pb::AttributeProto* find(std::string_view name) const {
    for (const pb::AttributeProto& a : node_.attr())
      if (a.name() == name) return &a;
    return nullptr;
  }
  const pb::Node& node_;
  const std::string& file_;
};

/// The part of the step that a name speaks of.
std::optional<RecordedPhase> phase_named(std::string_view written) {
  const std::string name = lower_case(written);
  const auto has = [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  };
  if (has("optimizer")) return RecordedPhase::optimizer;
  if (has("backward") || has("autograd::engine")) return RecordedPhase::backward;
  if (has("forward")) return RecordedPhase::forward;
  return std::nullopt;
}

/// Operation and payload of a collective of `ranks`.
void set_collective(const Attributes& of, int ranks, RecordedTask& task) {
  task.payload = Bytes{of.number("comm_size").value_or(0)};
  const double type = of.required("comm_type");
  switch (static_cast<int>(std::min(type, 99.0))) {
    case pb::ALL_REDUCE:
      task.operation = Collective::all_reduce;
      break;
    case pb::BARRIER:
      task.operation = Collective::all_reduce;
      task.payload = Bytes{0};
      break;
    case pb::ALL_GATHER:
      task.operation = Collective::all_gather;
      task.payload *= ranks;
      break;
    // A reduction to one rank takes the links of a broadcast the other way.
    case pb::REDUCE:
    case pb::BROADCAST:
      task.operation = Collective::broadcast;
      break;
    case pb::ALL_TO_ALL:
      task.operation = Collective::all_to_all;
      break;
    case pb::REDUCE_SCATTER:
    case pb::REDUCE_SCATTER_BLOCK:
      task.operation = Collective::reduce_scatter;
      break;
    default:
      of.refuse(fmt::format("a collective of type {:g} has no model", type),
                "all-reduce, reduce, all-gather, broadcast, all-to-all, reduce-scatter and barrier have one");
  }
}

/// The nodes of a file, and its metadata.
struct ParsedFile {
  pb::GlobalMetadata head;
  std::vector<pb::Node> nodes;
};

ParsedFile parse(const std::string& file, bool head_alone) {
  const google::protobuf::LogSilencer silence;  // what is wrong is said once, with the file
  const std::string bytes = read_file(file, std::size_t{1} << 30);
  CodedInputStream in{reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())};
  const auto refuse = [&](const std::string& why) {
    throw Error{fmt::format("{}, at byte {}", why, in.CurrentPosition()),
                {.file = file},
                bytes.starts_with("\x1f\x8b") ? "unpack it: gunzip"
                                              : "expected a Chakra execution trace: lengths and messages"};
  };
  ParsedFile out;
  for (bool first = true; static_cast<std::size_t>(in.CurrentPosition()) < bytes.size(); first = false) {
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length)) refuse("the length of a message cannot be read");
    if (length > bytes.size() - static_cast<std::size_t>(in.CurrentPosition()))
      refuse(fmt::format("a message of {} bytes goes past the end", length));
    const auto limit = in.PushLimit(static_cast<int>(length));
    if (out.nodes.size() >= most_nodes_of_file) refuse("more than 4 million nodes");
    const bool good =
        first ? out.head.MergeFromCodedStream(&in) : out.nodes.emplace_back().MergeFromCodedStream(&in);
    if (!good || in.BytesUntilLimit() != 0) refuse("a message cannot be read");
    in.PopLimit(limit);
    if (head_alone) return out;
  }
  if (out.nodes.empty()) refuse("no node");
  return out;
}

/// What the metadata say of rank and groups; returns how many ranks the file stands for.
int read_head(const pb::GlobalMetadata& head, RecordedRank& rank, RecordedStep& step) {
  int stands_for = 1;
  const auto count = [&](const pb::AttributeProto& a, int low) {
    const auto value = number_of(a);
    if (!value || !(*value >= low && *value < most_ranks) || *value != std::floor(*value))
      throw Error{fmt::format("\"{}\" of the metadata is no whole number from {}", a.name(), low),
                  {.file = rank.file},
                  "an integer below 2^24"};
    return static_cast<int>(*value);
  };
  for (const pb::AttributeProto& a : head.attr()) {
    if (a.name() == "rank") rank.rank = count(a, 0);
    if (a.name() == "ranks") stands_for = count(a, 1);
    if (!a.name().starts_with(group_prefix)) continue;
    std::vector<int> ranks(a.int32_list().values().begin(), a.int32_list().values().end());
    const std::string name = a.name().substr(group_prefix.size());
    const auto [known, fresh] = step.groups.emplace(name, std::move(ranks));
    if (!fresh && !std::ranges::equal(known->second, a.int32_list().values()))
      throw Error{fmt::format("group \"{}\" has other ranks than in a file before", name),
                  {.file = rank.file}};
  }
  return stands_for;
}

/// Of each id, the part that its name says, or that of what called it.
std::map<std::uint64_t, RecordedPhase> phases_of(const std::vector<pb::Node>& nodes) {
  std::map<std::uint64_t, RecordedPhase> out;
  for (const pb::Node& node : nodes) {
    std::optional<RecordedPhase> phase = phase_named(node.name());
    for (const std::uint64_t caller : node.ctrl_deps())
      if (const auto known = out.find(caller); !phase && known != out.end()) phase = known->second;
    if (phase) out.emplace(node.id(), *phase);
  }
  return out;
}

void set_exchange(const pb::Node& node, const Attributes& of, const RecordedStep& step, RecordedTask& task) {
  if (node.type() == pb::COMM_COLL_NODE) {
    task.kind = RecordedKind::collective;
    task.group = of.text("pg_name");
    const std::vector<int>* ranks = step.ranks_of(task.group);
    if (!task.group.empty() && !ranks)
      of.refuse(fmt::format("nothing says which ranks are in the group \"{}\"", task.group),
                "name them in the scenario: \"groups\": {\"" + task.group + "\": [0, 1]}");
    set_collective(of, ranks ? static_cast<int>(ranks->size()) : step.world, task);
    task.queue = "collectives" + (task.group.empty() ? "" : " of group " + task.group);
    return;
  }
  const bool send = node.type() == pb::COMM_SEND_NODE;
  task.kind = send ? RecordedKind::send : RecordedKind::receive;
  task.operation = Collective::send_recv;
  task.payload = Bytes{of.required("comm_size")};
  task.peer = of.rank(send ? "comm_dst" : "comm_src");
  task.queue = send ? "messages sent" : "messages received";
}

void set_kind(const pb::Node& node, const Attributes& of, const RecordedStep& step, RecordedTask& task) {
  // What the host does for a kernel or an exchange is of its own type in converted traces, and takes time.
  if (node.type() == pb::METADATA_NODE || of.number("is_cpu_op").value_or(0) != 0) {
    task.kind = RecordedKind::host;
    task.queue = "host";
    if (node.type() == pb::METADATA_NODE) task.time = Duration{0};
    return;
  }
  switch (node.type()) {
    case pb::COMM_COLL_NODE:
    case pb::COMM_SEND_NODE:
    case pb::COMM_RECV_NODE:
      set_exchange(node, of, step, task);
      return;
    case pb::COMP_NODE:
    case pb::MEM_LOAD_NODE:
    case pb::MEM_STORE_NODE:
      break;
    default:
      of.refuse(fmt::format("type {} is unknown", static_cast<int>(node.type())), "Chakra 0.0.4 has 1 to 7");
  }
  task.flop = Flop{of.number("num_ops").value_or(0)};
  task.traffic = Bytes{of.number("tensor_size").value_or(0)};
  task.matrix = is_matrix_kernel(node.name());
  // Older converters call the stream of a kernel its thread.
  const auto stream = of.number("stream"), thread = of.number("tid");
  const std::optional<double> number = stream ? stream : thread;
  task.queue = number ? fmt::format("kernels of stream {:.0f}", *number) : "kernels";
}

void read_tasks(const ParsedFile& file, RecordedStep& step, RecordedRank& rank) {
  const auto phases = phases_of(file.nodes);
  std::vector<std::vector<std::uint64_t>> waits;
  std::vector<double> start;
  for (const pb::Node& node : file.nodes) {
    RecordedTask& task = rank.tasks.emplace_back();
    task.id = node.id();
    task.name = node.name();
    task.time = Duration{static_cast<double>(node.duration_micros()) * us};
    const Attributes attributes{node, rank.file};
    if (const auto exact = attributes.number(exact_duration)) task.time = Duration{*exact * us};
    if (const auto phase = phases.find(node.id()); phase != phases.end()) task.phase = phase->second;
    set_kind(node, attributes, step, task);
    waits.emplace_back(node.data_deps().begin(), node.data_deps().end());
    start.push_back(static_cast<double>(node.start_time_micros()));
  }
  set_order(rank, waits, start);
}

// ---- writing

void add_number(pb::Node& node, const char* name, double value) {
  pb::AttributeProto& a = *node.add_attr();
  a.set_name(name);
  a.set_int64_val(static_cast<std::int64_t>(std::llround(value)));
}

int type_of(Collective operation) {
  switch (operation) {
    case Collective::all_gather:
      return pb::ALL_GATHER;
    case Collective::reduce_scatter:
      return pb::REDUCE_SCATTER;
    case Collective::broadcast:
      return pb::BROADCAST;
    case Collective::all_to_all:
      return pb::ALL_TO_ALL;
    default:
      return pb::ALL_REDUCE;
  }
}

void set_node(const RecordedTask& task, const RecordedStep& step, pb::Node& node) {
  node.set_id(task.id);
  node.set_name(task.name);
  node.set_duration_micros(static_cast<std::uint64_t>(std::llround(task.time / Duration{us})));
  if (task.kind == RecordedKind::kernel || task.kind == RecordedKind::host) {
    pb::AttributeProto& exact = *node.add_attr();
    exact.set_name(exact_duration);
    exact.set_double_val(task.time / Duration{us});
  }
  pb::AttributeProto& host = *node.add_attr();
  host.set_name("is_cpu_op");
  host.set_bool_val(task.kind == RecordedKind::host);
  switch (task.kind) {
    case RecordedKind::kernel:
    case RecordedKind::host:
      node.set_type(pb::COMP_NODE);
      add_number(node, "num_ops", task.flop.base());
      add_number(node, "tensor_size", task.traffic.base());
      return;
    case RecordedKind::collective: {
      node.set_type(pb::COMM_COLL_NODE);
      add_number(node, "comm_type", type_of(task.operation));
      const std::vector<int>* group = step.ranks_of(task.group);
      const double ranks = group ? static_cast<double>(group->size()) : step.world;
      add_number(node, "comm_size",
                 task.payload.base() / (task.operation == Collective::all_gather ? ranks : 1));
      if (task.group.empty()) return;
      pb::AttributeProto& name = *node.add_attr();
      name.set_name("pg_name");
      name.set_string_val(task.group);
      return;
    }
    case RecordedKind::send:
    case RecordedKind::receive: {
      const bool send = task.kind == RecordedKind::send;
      node.set_type(send ? pb::COMM_SEND_NODE : pb::COMM_RECV_NODE);
      add_number(node, "comm_size", task.payload.base());
      add_number(node, send ? "comm_dst" : "comm_src", task.peer);
      return;
    }
  }
}

void append(const google::protobuf::MessageLite& message, std::string& out) {
  google::protobuf::io::StringOutputStream stream{&out};
  google::protobuf::io::CodedOutputStream coded{&stream};
  coded.WriteVarint32(static_cast<std::uint32_t>(message.ByteSizeLong()));
  message.SerializeToCodedStream(&coded);
}

}  // namespace

RecordedStep read_chakra(const std::vector<std::string>& files,
                         std::map<std::string, std::vector<int>> groups, std::optional<int> ranks) {
  RecordedStep step;
  step.groups = std::move(groups);
  step.world = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    RecordedRank& rank = step.ranks.emplace_back();
    rank.file = files[i];
    rank.rank = static_cast<int>(i);
    rank.stands_for = read_head(parse(files[i], true).head, rank, step);
    if (rank.stands_for > most_ranks - step.world)
      throw Error{"a trace of more than 16 million ranks", {.file = files[i]}, "\"ranks\" of the metadata"};
    step.world += rank.stands_for;
  }
  step.world = std::max(step.world, ranks.value_or(0));
  for (RecordedRank& rank : step.ranks) read_tasks(parse(rank.file, false), step, rank);
  std::ranges::sort(step.ranks, {}, &RecordedRank::rank);
  check_recorded(step);
  return step;
}

std::vector<std::pair<std::string, std::string>> chakra_files(const RecordedStep& step) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const RecordedRank& rank : step.ranks) {
    auto& [name, bytes] = out.emplace_back(fmt::format("et.{}.et", rank.rank), "");
    pb::GlobalMetadata head;
    head.set_version("0.0.4");
    const auto add = [&](const std::string& key) -> pb::AttributeProto& {
      pb::AttributeProto& a = *head.add_attr();
      a.set_name(key);
      return a;
    };
    add("schema").set_string_val("1.0.2-chakra.0.0.4");
    add("rank").set_int32_val(rank.rank);
    add("ranks").set_int32_val(rank.stands_for);
    for (const auto& [group, ranks] : step.groups)
      add(std::string{group_prefix} + group)
          .mutable_int32_list()
          ->mutable_values()
          ->Add(ranks.begin(), ranks.end());
    append(head, bytes);
    for (const RecordedTask& task : rank.tasks) {
      pb::Node node;
      set_node(task, step, node);
      for (const std::size_t before : task.after) node.add_data_deps(rank.tasks[before].id);
      append(node, bytes);
    }
  }
  return out;
}

}  // namespace rackcast
