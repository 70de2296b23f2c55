#include "scenarios/validation/cases/case_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "scenarios/validation/settings/machine_table.hpp"
#include "sim/base/near_matches.hpp"

namespace rackcast {
namespace {

/// Reads members of one kind; remembers the first that is of another.
class Members {
 public:
  Members(const Json& object, std::string where, std::string& complaint)
      : object_{&object}, where_{std::move(where)}, complaint_{&complaint} {}

  std::optional<double> number(std::string_view key) {
    const Json* m = of_kind(key, JsonKind::number);
    if (m == nullptr) return std::nullopt;
    return m->number();
  }
  std::optional<std::string> text(std::string_view key) {
    const Json* m = of_kind(key, JsonKind::string);
    if (m == nullptr) return std::nullopt;
    return m->string();
  }
  bool flag(std::string_view key) {
    const Json* m = of_kind(key, JsonKind::boolean);
    return m != nullptr && m->boolean();
  }
  Json object(std::string_view key) {
    const Json* m = of_kind(key, JsonKind::object);
    return m != nullptr ? *m : Json{};
  }
  /// Of any kind; null where absent.
  Json any(std::string_view key) {
    const Json* m = member_in(*object_, key);
    return m != nullptr ? *m : Json{};
  }

 private:
  const Json* of_kind(std::string_view key, JsonKind kind) {
    const Json* m = member_in(*object_, key);
    if (m == nullptr || m->kind() == kind) return m;
    if (complaint_->empty()) {
      *complaint_ = where_ + std::string{key} + " is " + std::string{to_string(m->kind())} + ", expected " +
                    std::string{to_string(kind)};
    }
    return nullptr;
  }

  const Json* object_;
  std::string where_;
  std::string* complaint_;
};

void read_system(const Json& json, ValidationCase::System& out, std::string& complaint) {
  Members m{json, "system.", complaint};
  out.gpu = m.text("gpu");
  out.node = m.text("node");
  out.cluster = m.text("cluster");
  out.gpu_assumed = m.flag("gpu_assumed");
  out.gpus = m.number("gpus");
  out.gpus_per_node = m.number("gpus_per_node");
  out.nodes = m.number("nodes");
  out.intra_node = m.text("intra_node").value_or("");
  out.node_note = m.text("node_note").value_or("");
  if (const Json* machine = machine_in(out.node_note); machine && !out.node)
    out.node = machine->require("node").string();
  out.fabric = m.object("fabric");
}

void read_workload(const Json& json, ValidationCase::Workload& out, std::string& complaint) {
  Members m{json, "workload.", complaint};
  out.model = m.text("model").value_or("");
  out.task = m.text("task").value_or("");
  out.input = m.any("input");
  out.batch_per_gpu = m.number("batch_per_gpu");
  out.global_batch = m.number("global_batch");
  out.micro_batch = m.number("micro_batch");
  out.precision = m.text("precision");
  out.data = m.text("data").value_or("");
  out.gradient_sync = m.text("gradient_sync").value_or("");
  out.extra = m.object("extra");
  out.transformer = m.object("transformer");
  out.parallelism = m.object("parallelism");
  const Json framework = m.any("framework");
  if (framework.kind() == JsonKind::string) out.framework = framework.string();
  out.framework = text_in(framework, "name").value_or(out.framework);
  out.framework_version = text_in(framework, "version").value_or("");
}

/// Where a batch smaller than one image for each GPU made a reader infer that GPUs share images, one GPU of
/// each such group runs: MLPerf v0.6's SSD takes every second GPU of its DGX-2H, 8 processes per node of 16
/// GPUs (config_DGX2_multi_even.sh and "DGXSYSTEM=DGX2_multi_even_30x8x7" in the results' logs,
/// github.com/mlcommons/training_results_v0.6). Its code splits no image.
void use_one_gpu_of_each_group(ValidationCase& c) {
  const double group = number_in(c.workload.extra, "spatial_parallel_inferred").value_or(1);
  if (!(group > 1) || std::fmod(c.system.gpus_per_node.value_or(1), group) != 0) return;
  for (std::optional<double>* gpus : {&c.system.gpus, &c.system.gpus_per_node})
    if (*gpus) **gpus /= group;
  if (c.workload.batch_per_gpu) *c.workload.batch_per_gpu *= group;
}

std::string source_of(const std::string& series, const std::string& file) {
  const auto slash = series.find('/');
  if (slash != std::string::npos && slash > 0) return series.substr(0, slash);
  return std::filesystem::path{file}.stem().string();
}

}  // namespace

std::string place_name(const std::string& file, int line) {
  return std::filesystem::path{file}.filename().string() + ":" + std::to_string(line);
}

namespace {

/// The members of a case, but for the free-form ones.
struct KnownMembers {
  std::string_view object;  ///< "system.fabric"; empty: the case itself
  std::vector<std::string_view> names;
};

const std::vector<KnownMembers>& known_members() {
  static const std::vector<KnownMembers> all{
      {"",
       {"id", "series", "source", "location", "confidence", "split", "kind", "system", "workload", "measured",
        "notes", "statement", "remark", "usual", "range_end", "length_from", "compared_with"}},
      {"system",
       {"gpu", "gpu_note", "gpu_assumed", "node", "node_note", "cluster", "gpus", "gpus_per_node", "nodes",
        "intra_node", "fabric", "gpus_in_node", "nvlink_domain_gpus"}},
      {"system.fabric", {"link", "links_per_node", "gbit_per_s", "assumed", "note"}},
      {"workload",
       {"model", "task", "input", "batch_per_gpu", "global_batch", "micro_batch", "precision",
        "precision_assumed", "framework", "data", "gradient_sync", "extra", "transformer", "parallelism"}},
      {"workload.framework", {"name", "version"}},
      {"workload.transformer", {"layers",           "hidden",       "heads",
                                "kv_heads",         "head_dim",     "ffn",
                                "gated_mlp",        "vocab",        "seq_len",
                                "causal",           "params_b",     "active_params_b",
                                "experts",          "top_k",        "moe_ffn",
                                "shared_experts",   "dense_layers", "attention",
                                "q_lora_rank",      "kv_lora_rank", "qk_nope_head_dim",
                                "qk_rope_head_dim", "v_head_dim",   "parallel_block"}},
      {"workload.parallelism",
       {"tp", "pp", "dp", "ep", "cp", "vpp", "zero_stage", "sequence_parallel", "recompute", "schedule",
        "prefill", "decode"}},
      {"measured", {"metric", "value", "unit"}},
  };
  return all;
}

const Json* part_of(const Json& json, std::string_view path) {
  const Json* part = &json;
  while (part != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    part = member_in(*part, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return part != nullptr && part->kind() == JsonKind::object ? part : nullptr;
}

/// The first member that no case has, with a near name; empty if there is none.
std::string unknown_member(const Json& json) {
  for (const KnownMembers& known : known_members()) {
    const Json* part = part_of(json, known.object);
    if (part == nullptr) continue;
    for (const auto& [name, value] : part->object()) {
      if (std::ranges::find(known.names, name) != known.names.end()) continue;
      const std::string near = did_you_mean(name, known.names);
      return fmt::format("no case has a member \"{}{}{}\"{}", known.object, known.object.empty() ? "" : ".",
                         name, near.empty() ? "" : "; " + near);
    }
  }
  return {};
}

/// What in the case cannot be; empty if nothing.
std::string contradiction(const ValidationCase& c) {
  const ValidationCase::System& s = c.system;
  if (s.gpus && s.nodes && s.gpus_per_node && *s.gpus != *s.nodes * *s.gpus_per_node)
    return fmt::format("system.gpus is {:g}, and {:g} nodes with {:g} GPUs each have {:g}", *s.gpus, *s.nodes,
                       *s.gpus_per_node, *s.nodes * *s.gpus_per_node);
  if (!c.measured) return {};
  if (c.metric == "out_of_memory" && *c.measured != 0 && *c.measured != 1)
    return fmt::format("measured.value is {:g}, and a verdict is 1 or 0", *c.measured);
  if (c.metric != "out_of_memory" && !(*c.measured > 0))
    return fmt::format("measured.value is {:g}, and what was measured is above zero", *c.measured);
  return {};
}

}  // namespace

ValidationCase read_case(const Json& json, const std::string& file) {
  ValidationCase out;
  out.file = file;
  out.line = json.where().line;
  out.id = place_name(file, out.line);
  if (json.kind() != JsonKind::object) {
    out.source = source_of("", file);
    out.unreadable = "a case is an object, this is " + std::string{to_string(json.kind())};
    return out;
  }
  std::string complaint;
  Members m{json, "", complaint};
  if (const auto id = m.text("id"); id && !id->empty()) out.id = *id;
  out.series = m.text("series").value_or("");
  out.source = source_of(out.series, file);
  out.citation = m.text("source").value_or(out.source);
  out.json = json;
  out.kind = m.text("kind").value_or("measurement");
  out.statement = m.text("statement").value_or("");
  out.remark = m.text("remark").value_or("");
  read_system(m.object("system"), out.system, complaint);
  read_workload(m.object("workload"), out.workload, complaint);
  const Json measured = m.object("measured");
  Members reading{measured, "measured.", complaint};
  out.metric = reading.text("metric").value_or("");
  out.measured = reading.number("value");
  out.unit = reading.text("unit").value_or("");
  if (complaint.empty()) complaint = unknown_member(json);
  if (complaint.empty()) complaint = contradiction(out);
  out.unreadable = complaint;
  use_one_gpu_of_each_group(out);
  return out;
}

}  // namespace rackcast
