#include "calibrate/import/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "calibrate/import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

struct ImportKind {
  std::string_view name, help;
  /// Texts one of which a file of this kind holds early on.
  std::array<std::string_view, 4> marks;
  void (*read)(const Catalog&, const ImportSource&, ImportOutput&);
  bool binary = false;     ///< told by the end of the file's name
  bool has_sizes = false;  ///< its files may leave sizes open
};

/// In the order in which the marks are looked for: the special before the general.
constexpr std::array<ImportKind, 15> kinds{
    {{"torch-fx",
      "graph of torch.export as JSON, by docs/guide/examples/torch_fx.py: a network",
      {"\"rackcast-torch-fx\""},
      import_torch_fx},
     {"nvidia-smi-xml",
      "nvidia-smi -q -x: GPUs of a machine",
      {"<nvidia_smi_log", "nvsmi_device"},
      import_nvidia_smi_xml},
     {"lstopo",
      "lstopo topo.xml: CPUs, memory, devices (hwloc 1 and 2)",
      {"hwloc.dtd", "hwloc2.dtd", "<topology", "PU L#"},
      import_lstopo},
     {"nccl-topo-xml",
      "NCCL_TOPO_DUMP_FILE: wiring of GPUs and adapters",
      {"<system version", "<system>"},
      import_nccl_topo_xml},
     {"mllog", "log of an MLPerf training run", {":::MLL", ":::MLPv0"}, import_mllog},
     {"nccl-tests",
      "output of all_reduce_perf and its sisters, text or JSON (-J)",
      {"nThread", "algbw", "Collective test starting", "\"alg_bw\""},
      import_nccl_tests},
     {"slurm-nodes",
      "scontrol show node, or a table of sinfo -N: what a cluster has",
      {"NodeName=", "NODELIST ", "NODELIST\n"},
      import_slurm_nodes},
     {"power-log",
      "watts of GPUs over time: nvidia-smi as CSV, dcgmi dmon, DCGM's exporter",
      {"power.draw", "DCGM_FI_DEV_POWER_USAGE", "#Entity", "# Entity"},
      import_power_log},
     {"fio",
      "fio with --output-format=json, or its plain output",
      {"\"fio version\"", "fio-", "ioengine="},
      import_fio},
     {"hf-config",
      "config.json of Hugging Face transformers: a network",
      {"\"architectures\"", "\"model_type\"", "\"hidden_size\"", "\"n_embd\""},
      import_hf_config},
     {"deepspeed",
      "JSON configuration of DeepSpeed: a scenario without its network",
      {"\"zero_optimization\"", "\"train_micro_batch_size_per_gpu\"", "\"train_batch_size\"",
       "\"gradient_accumulation_steps\""},
      import_deepspeed},
     {"megatron-args",
      "script, list or YAML of Megatron-LM's arguments: a scenario",
      {"tensor-model-parallel-size", "tensor_model_parallel_size", "--num-attention-heads",
       "--micro-batch-size"},
      import_megatron_args},
     {"onnx", "ONNX model: a network of convolutions or a transformer", {}, import_onnx, true, true},
     {"ibnetdiscover",
      "ibnetdiscover: switches and links of an InfiniBand fabric",
      {"switchguid=", "caguid="},
      import_ibnetdiscover},
     {"nvidia-smi-topo",
      "nvidia-smi topo -m: how GPUs and adapters are connected",
      {"CPU Affinity", "GPU0\tGPU1", "GPU0"},
      import_nvidia_smi_topo}}};

std::string known_kinds() {
  std::string out;
  for (const ImportKind& kind : kinds) out += fmt::format("{}{}", out.empty() ? "" : ", ", kind.name);
  return out;
}

const ImportKind& kind_named(const std::string& name) {
  for (const ImportKind& kind : kinds)
    if (kind.name == name) return kind;
  std::vector<std::string_view> names;
  for (const ImportKind& kind : kinds) names.push_back(kind.name);
  const std::string near = did_you_mean(name, std::span<const std::string_view>{names});
  throw Error{fmt::format("cannot import {}", in_quotes(name)),
              {},
              near.empty() ? "known: " + known_kinds() : near,
              ErrorKind::usage};
}

void refuse_binary(const ImportSource& source) {
  const std::size_t zero = source.text().find('\0');
  const std::string_view text = source.text();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    source.fail(std::size_t{0}, "this is not a text file in UTF-8",
                "it begins as UTF-16: save it as UTF-8, in PowerShell with: | Out-File -Encoding utf8 FILE");
  if (zero != std::string_view::npos)
    source.fail(zero, "this is not a text file",
                "binary and compressed files are not read, but for models (.onnx)");
}

/// Binary files have no marks to look for.
bool is_file_of(std::string_view path, const ImportKind& kind) {
  return path.ends_with("." + std::string{kind.name});
}

const ImportKind& kind_of(const ImportSource& source) {
  for (const ImportKind& kind : kinds)
    if (kind.binary && is_file_of(source.name(), kind)) return kind;
  refuse_binary(source);
  constexpr std::size_t early = 1u << 20;
  const std::string_view head = source.text().substr(0, early);
  for (const ImportKind& kind : kinds) {
    for (const std::string_view mark : kind.marks)
      if (!mark.empty() && head.find(mark) != std::string_view::npos) return kind;
  }
  throw Error{"the content of this file is of no known kind", Where{.file = source.name()},
              "name the kind: rackcast import KIND FILE; known: " + known_kinds()};
}

/// FNV-1a, 64 bits: says whether a document was made from the file at hand. No protection against forgery.
std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 1469598103934665603u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::size_t most_import_bytes(const ImportRequest& request) {
  constexpr std::size_t of_text = std::size_t{64} << 20, of_weights = 2'000'000'000;
  for (const ImportKind& kind : kinds)
    if (kind.binary &&
        (request.kind == kind.name || (request.kind.empty() && is_file_of(request.path, kind))))
      return of_weights;
  return of_text;
}

std::vector<ImportKindInfo> import_kinds() {
  std::vector<ImportKindInfo> out;
  for (const ImportKind& kind : kinds) out.push_back({kind.name, kind.help});
  return out;
}

ImportResult import_text(const Catalog& catalog, const ImportRequest& request, std::string text) {
  using nlohmann::ordered_json;
  const std::size_t file_bytes = text.size();
  const std::string file_fingerprint = fingerprint(text);
  ImportSource source{request.path, std::move(text)};
  source.set_sizes(request.sizes);
  const ImportKind* named = request.kind.empty() ? nullptr : &kind_named(request.kind);
  if (trimmed(source.text()).empty())
    throw Error{"the file is empty", Where{.file = source.name()}, "write it again"};
  const ImportKind& kind = named ? *named : kind_of(source);
  if (named && !kind.binary) refuse_binary(source);
  if (!request.sizes.empty() && !kind.has_sizes)
    throw Error{fmt::format("a file of kind {} leaves no sizes open", kind.name),
                {},
                "leave out --size",
                ErrorKind::usage};
  ordered_json body = ordered_json::object();
  ImportOutput out{body};
  kind.read(catalog, source, out);

  // Eight GPUs may each have the same to say.
  std::vector<std::string> warnings;
  for (std::string& warning : out.warnings)
    if (std::ranges::count(warnings, warning) == 0) warnings.push_back(std::move(warning));

  ordered_json document{{"format", "rackcast-import"}, {"version", 1}, {"kind", kind.name}};
  document["provenance"] = {
      {"program", request.program}, {"file_bytes", file_bytes}, {"file_fnv1a", file_fingerprint}};
  if (!out.version.empty()) document["provenance"]["tool"] = product_name(out.version);
  document["warnings"] = warnings;
  for (const auto& [key, value] : body.items()) document[key] = value;
  return {std::string{kind.name}, document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
          out.summary, warnings};
}

}  // namespace rackcast
