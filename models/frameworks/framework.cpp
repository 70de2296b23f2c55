#include "models/frameworks/framework.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "models/frameworks/framework_parameters.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

std::span<const EmbeddedFile> model_data();

namespace {

constexpr std::string_view folder = "frameworks/";

/// A version as something to compare: containers count by their date (19.05), releases by number (1.4).
struct Version {
  std::optional<double> number, container;
};

/// 19.05 -> 19.05 and 1.13 -> 1.13 with the part after the dot as hundredths, so that 1.4 < 1.13.
std::optional<double> parse_number(std::string_view text) {
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  auto [rest, failure] = std::from_chars(text.data(), end, major);
  if (failure != std::errc{} || major < 0 || major > 9999) return std::nullopt;
  if (rest + 1 < end && *rest == '.') {
    const auto [ignored, no_minor] = std::from_chars(rest + 1, end, minor);
    if (no_minor != std::errc{} || minor < 0) minor = 0;
  }
  return major + std::min(minor, 99) / 100.0;
}

Version parse_version(std::string_view text) {
  Version out;
  if (const auto ngc = text.find("NGC"); ngc != std::string_view::npos) {
    const auto digits = text.find_first_of("0123456789", ngc);
    if (digits != std::string_view::npos) out.container = parse_number(text.substr(digits));
    if (!out.container) out.container = 19.0;  // the first NGC tables of the reference implementations
  }
  out.number = parse_number(text);
  if (out.number && *out.number >= 100) out.number.reset();  // a year, not a version
  return out;
}

/// One row of a framework's file: a profile and the software it stands for.
struct Entry {
  std::vector<std::string> names;
  std::vector<std::string> scripts;  ///< any of them; empty: any script at all
  std::string kernels;               ///< as in FrameworkQuery
  std::optional<double> from, before, container_from, container_before, cudnn_before;
  bool container_only = false;
  std::optional<bool> training;
  bool compiled = false;
  FrameworkProfile profile;
};

std::vector<std::string> strings(ObjectReader& in, std::string_view key) {
  std::vector<std::string> out;
  if (const Json* list = in.find(key))
    for (const Json& item : list->array()) out.push_back(item.string());
  return out;
}

std::optional<double> bound(ObjectReader& in, std::string_view key) {
  const Json* text = in.find(key);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_number(text->string());
  if (!number) text->fail("a version is written like \"1.4\"");
  return number;
}

/// A name that is not known is an error of the data file, found when the exchange is looked up.
void read_exchange(ObjectReader& in, FrameworkProfile& p) {
  if (in.has("exchange")) p.exchange = p.exchange_between_nodes = in.string("exchange");
  p.exchange_between_nodes = in.string_or("exchange_between_nodes", p.exchange_between_nodes);
  p.wide_gradients = in.boolean_or("wide_gradients", p.wide_gradients);
}

GraphMemory read_graph_memory(const Json& json, GraphMemory out) {
  ObjectReader in{json};
  out.gelu_maps = in.number_or("gelu_maps", out.gelu_maps, 0, 10);
  out.norm_maps = in.number_or("norm_maps", out.norm_maps, 0, 10);
  out.wide_masks = in.boolean_or("wide_masks", out.wide_masks);
  out.passing_gradients = in.boolean_or("passing_gradients", out.passing_gradients);
  out.adam_ahead = in.number_or("adam_ahead", out.adam_ahead, 0, 10);
  out.adam_update = in.number_or("adam_update", out.adam_update, 0, 10);
  in.finish();
  return out;
}

TrainerMemory read_memory(const Json& json, TrainerMemory out) {
  ObjectReader in{json};
  constexpr std::array<std::string_view, 2> cuts{"equal", "by_cost"};
  if (in.has("stages")) out.stages = static_cast<StageCut>(in.choice("stages", cuts));
  out.keeps_buckets = in.boolean_or("keeps_buckets", out.keeps_buckets);
  out.gather_buffers = in.number_or("gather_buffers", out.gather_buffers, 0, 10);
  out.logit_bytes = in.number_or("logit_bytes", out.logit_bytes, 0, 100);
  out.fused_logit_bytes = in.number_or("fused_logit_bytes", out.fused_logit_bytes, 0, 100);
  out.drops = in.boolean_or("drops", out.drops);
  out.shares_embedding = in.boolean_or("shares_embedding", out.shares_embedding);
  out.workspace = in.quantity_or("workspace", out.workspace, false);
  out.keeps_projection = in.boolean_or("keeps_projection", out.keeps_projection);
  out.sums_in_flight = in.number_or("sums_in_flight", out.sums_in_flight, 0, 1024);
  out.outside_allocator = in.quantity_or("outside_allocator", out.outside_allocator, false);
  if (const Json* graph = in.find("graph")) out.graph = read_graph_memory(*graph, out.graph);
  in.string_or("why", "");
  in.finish();
  return out;
}

ComposedOperators read_composed(const Json& json) {
  ObjectReader in{json};
  ComposedOperators out;
  struct Member {
    std::string_view name;
    ComposedOperator ComposedOperators::*counts;
  };
  for (const auto& [name, counts] :
       {Member{"gelu", &ComposedOperators::gelu}, Member{"layer_norm", &ComposedOperators::layer_norm},
        Member{"dropout", &ComposedOperators::dropout}, Member{"scores", &ComposedOperators::scores}}) {
    const Json* accesses = in.find(name);
    if (accesses == nullptr) continue;
    ObjectReader read{*accesses};
    out.*counts = {read.number("forward", 1, 1000), read.number("backward", 1, 1000)};
    read.finish();
  }
  out.wide = in.boolean_or("wide", false);
  in.string("why");
  in.finish();
  return out;
}

void read_numbers(ObjectReader& in, FrameworkProfile& p) {
  read_exchange(in, p);
  constexpr std::array<std::string_view, 2> dispatch{"graph", "eager"};
  if (in.has("dispatch")) {
    p.dispatch = static_cast<Dispatch>(in.choice("dispatch", dispatch));
    for (const std::string_view name : {"host_per_kernel", "host_backward"}) {
      const ProfileParameter& host = *find_profile_parameter(name);
      host.set(p, host.expected(p.dispatch));
    }
  }
  p.host_per_kernel = in.quantity_or("host_per_kernel", p.host_per_kernel, false);
  p.host_per_sum = in.quantity_or("host_per_sum", p.host_per_sum, false);
  p.check_per_gpu = in.quantity_or("check_per_gpu", p.check_per_gpu, false);
  p.host_backward = in.number_or("host_backward", p.host_backward, 0.01, 10);
  p.host_per_step = in.quantity_or("host_per_step", p.host_per_step, false);
  p.kernel_factor = in.number_or("kernel_factor", p.kernel_factor, 0.1, 100);
  p.int8_factor = in.number_or("int8_factor", p.int8_factor, 0.1, 100);
  p.elementwise_passes = in.number_or("elementwise_passes", p.elementwise_passes, 0, 100);
  p.gather_per_slice = in.quantity_or("gather_per_slice", p.gather_per_slice, false);
  p.loss_passes = in.number_or("loss_passes", p.loss_passes, 0, 100);
  p.norm_passes = in.number_or("norm_passes", p.norm_passes, 0, 100);
  p.mixes_formats = in.boolean_or("mixes_formats", p.mixes_formats);
  p.fuses_elementwise = in.boolean_or("fuses_elementwise", p.fuses_elementwise);
  p.fuses_forward_only = in.boolean_or("fuses_forward_only", p.fuses_forward_only);
  p.library_products = in.boolean_or("library_products", p.library_products);
  p.fuses_bias = in.boolean_or("fuses_bias", p.fuses_bias);
  constexpr std::array<std::string_view, 4> sums{"in_place", "wide", "widened", "in_products"};
  if (const Json* memory = in.find("memory")) p.memory = read_memory(*memory, p.memory);
  p.sequence_parallel = in.boolean_or("sequence_parallel", p.sequence_parallel);
  p.overlaps_gradients = in.boolean_or("overlaps_gradients", p.overlaps_gradients);
  if (in.has("gradient_sums")) p.gradient_sums = static_cast<GradientSums>(in.choice("gradient_sums", sums));
  constexpr std::array<std::string_view, 4> attention{"unfused", "flash1", "flash2", "native"};
  if (in.has("attention")) p.attention = static_cast<AttentionKernel>(in.choice("attention", attention));
  p.fused_tables = in.boolean_or("fused_tables", p.fused_tables);
  p.attention_factor = in.number_or("attention_factor", p.attention_factor, 0.1, 100);
  p.composed_passes = in.number_or("composed_passes", p.composed_passes, 0, 100);
  if (const Json* composed = in.find("composed")) p.composed = read_composed(*composed);
  p.sgd_accesses = in.number_or("sgd_accesses", p.sgd_accesses, 0, 1000);
  p.adam_accesses = in.number_or("adam_accesses", p.adam_accesses, 0, 1000);
  p.input_copy = in.quantity_or("input_copy", p.input_copy, false);
  p.update_per_tensor = in.quantity_or("update_per_tensor", p.update_per_tensor, false);
  constexpr std::array<std::string_view, 5> layouts{"none", "half", "all", "wide", "filters"};
  if (in.has("layout_conversion"))
    p.layout = static_cast<LayoutConversion>(in.choice("layout_conversion", layouts));
  constexpr std::array<std::string_view, 4> norms{"kernel", "composed", "promoted", "folded"};
  if (in.has("frozen_norm")) p.frozen_norm = static_cast<FrozenNorm>(in.choice("frozen_norm", norms));
  if (const Json* section = in.find("between_passes")) p.between_passes = read_host_section(*section);
  p.counts_casts = in.boolean_or("counts_casts", p.counts_casts);
  p.pads_rows = in.boolean_or("pads_rows", p.pads_rows);
  p.log_sigma = in.number_or("log_sigma", p.log_sigma, 0.001, 2);
  p.workspace = in.quantity_or("workspace", p.workspace, false);
  constexpr std::array<std::string_view, 3> kernels{"library", "im2col", "fbfft"};
  if (in.has("conv")) p.conv = static_cast<ConvKernels>(in.choice("conv", kernels));
  if (const Json* library = in.find("library")) p.library = parse_library_generation(library->string());
  p.fit = strings(in, "fit");
  p.fitted = strings(in, "fitted");
  for (const std::string& name : p.fitted)
    if (find_profile_parameter(name) == nullptr)
      in.json().fail("no number of a profile that can be fitted is called \"" + name + "\"");
  if (p.fitted.empty() != p.fit.empty())
    in.json().fail("\"fitted\" names the numbers that \"fit\" names the cases of: both, or neither");
}

/// One script or a list of scripts that share their numbers.
std::vector<std::string> read_scripts(ObjectReader& in) {
  const Json* script = in.find("script");
  if (script == nullptr) return {};
  if (script->kind() != JsonKind::array) return {script->string()};
  return strings(in, "script");
}

/// What the scripts of a framework, or of one profile, run under the name of a network.
void read_networks(ObjectReader& in, FrameworkProfile& p) {
  if (const Json* list = in.find("networks"))
    for (const auto& [name, variant] : list->object()) p.networks.insert_or_assign(name, variant.string());
}

/// Reads a row of `profiles`. With "as" it begins with the numbers of the row of that id.
Entry read_entry(const Json& json, const Json& profiles, const std::vector<std::string>& names,
                 const FrameworkProfile& common) {
  ObjectReader in{json};
  Entry out;
  out.profile = common;
  if (const Json* id = in.find("as")) {
    const auto& rows = profiles.array();
    const auto row = std::ranges::find_if(
        rows, [&](const Json& other) { return other.require("id").string() == id->string(); });
    if (row == rows.end() || row->find("as") != nullptr)
      id->fail("a row of the same file with numbers of its own");
    out.profile = read_entry(*row, profiles, names, common).profile;
  }
  out.names = names;
  out.profile.id = in.string("id");
  out.profile.title = in.string("title");
  out.scripts = read_scripts(in);
  out.from = bound(in, "from");
  out.before = bound(in, "before");
  out.container_from = bound(in, "container_from");
  out.container_before = bound(in, "container_before");
  out.cudnn_before = bound(in, "cudnn_before");
  out.container_only = in.boolean_or("container_only", out.container_from || out.container_before);
  out.kernels = in.string_or("kernels", "");
  if (in.has("training")) out.training = in.boolean_or("training", true);
  out.compiled = in.boolean_or("compiled", false);
  read_networks(in, out.profile);
  read_numbers(in, out.profile);
  in.string("why");  // for the reader of the file: what the numbers rest on
  in.finish();
  return out;
}

void read_file(const EmbeddedFile& file, std::vector<Entry>& out) {
  ObjectReader in{parse_json(std::string{file.text}, std::string{file.name})};
  const std::vector<std::string> names = strings(in, "names");
  FrameworkProfile common;
  read_networks(in, common);
  read_exchange(in, common);
  const Json& profiles = in.require("profiles");
  for (const Json& profile : profiles.array()) out.push_back(read_entry(profile, profiles, names, common));
  in.finish();
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> out;
    for (const EmbeddedFile& file : framework_files()) read_file(file, out);
    return out;
  }();
  return all;
}

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c))) out += lower_case(c);
  return out;
}

bool within(const std::optional<double>& value, const std::optional<double>& from,
            const std::optional<double>& before) {
  if (!from && !before) return true;
  return value && (!from || *value >= *from) && (!before || *value < *before);
}

bool matches(const Entry& e, const FrameworkQuery& query, const Version& version) {
  if (e.kernels != query.kernels || e.compiled != query.compiled) return false;
  if (e.training && *e.training != query.training) return false;
  if (!e.scripts.empty() && std::ranges::count(e.scripts, query.script) == 0) return false;
  if (e.container_only && !version.container) return false;
  if (!within(parse_number(query.cudnn), std::nullopt, e.cudnn_before)) return false;
  return within(version.container, e.container_from, e.container_before) &&
         within(version.number, e.from, e.before);
}

/// The generation by the library's own version (5.1 came with CUDA 8 and its Winograd kernels are those of
/// 6), or by the container that brings it (20.06 has cuDNN 8).
std::optional<LibraryGeneration> generation(const FrameworkQuery& query, const Version& version) {
  if (const auto number = parse_number(query.cudnn)) {
    if (*number < 5.01) return LibraryGeneration::cudnn5;
    const int major = std::clamp(static_cast<int>(*number), 6, 8);
    return static_cast<LibraryGeneration>(major - 5);
  }
  if (version.container)
    return *version.container < 20.06 ? LibraryGeneration::cudnn7 : LibraryGeneration::cudnn8;
  return std::nullopt;
}

}  // namespace

std::optional<double> container_of(std::string_view version) {
  return parse_version(version).container;
}

std::string version_on(std::string_view framework, const std::string& stated, std::string_view first) {
  // No framework counts its releases as high as containers count years.
  const bool month = stated.size() == 5 && stated[2] == '.' && stated >= "17.00" && stated < "40.00";
  if (month) return "NGC " + stated;
  // MXNet 1.x runs on GPUs that need a container only as the container builds it.
  const bool container = framework == "mxnet" && !stated.starts_with("NGC");
  if (!container && stated.find_first_of("0123456789") != std::string::npos) return stated;
  return first.empty() ? stated : "NGC " + std::string{first};
}

FrameworkProfile framework_profile(const FrameworkQuery& query) {
  const std::string wanted = plain(query.name);
  const Version version = parse_version(query.version);
  const auto pick = [&](std::string_view name, const FrameworkQuery& q) -> const Entry* {
    for (const Entry& e : entries())
      if (std::ranges::find(e.names, name) != e.names.end() && matches(e, q, version)) return &e;
    return nullptr;
  };
  const Entry* entry = pick(wanted, query);
  if (entry == nullptr) {
    if (!query.kernels.empty() && query.kernels != "native")
      throw Error{"no profile for \"" + query.name + "\" with convolutions of \"" + query.kernels + "\""};
    FrameworkQuery plain_query = query;
    plain_query.kernels.clear();
    plain_query.compiled = false;
    entry = pick(wanted, plain_query);
    if (entry == nullptr) entry = pick("generic", plain_query);
  }
  if (entry == nullptr)
    throw Error{"no profile for framework \"" + query.name + "\"", {}, {}, ErrorKind::internal};
  FrameworkProfile profile = entry->profile;
  profile.library = generation(query, version).value_or(profile.library);
  profile.winograd = parse_number(query.cudnn).value_or(5) >= 5;
  if (query.channels_last) profile.layout = LayoutConversion::none;
  return profile;
}

std::vector<EmbeddedFile> framework_files() {
  std::vector<EmbeddedFile> out;
  for (const EmbeddedFile& file : model_data())
    if (file.name.starts_with(folder)) out.push_back(file);
  return out;
}

std::vector<FrameworkProfile> framework_profiles() {
  std::vector<FrameworkProfile> out;
  for (const Entry& e : entries()) out.push_back(e.profile);
  std::ranges::sort(out, {}, &FrameworkProfile::id);
  return out;
}

}  // namespace rackcast
