#include "calibrate/tables/kernel_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "calibrate/tables/csv_table.hpp"
#include "models/networks/operator.hpp"

namespace rackcast {
namespace {

/// What every table row says besides its shape.
struct RowContext {
  KernelData& data;
  const CsvTable& table;
  Timing timing;
  std::string file;
};

const DataFile& find_file(const std::vector<DataFile>& files, std::string_view name) {
  for (const DataFile& file : files)
    if (file.name == name) return file;
  throw Error{
      "the data folder has no " + std::string{name}, {}, "it names the measured devices or the sources"};
}

bool yes_or_no(const CsvTable& t, std::size_t row, std::string_view column) {
  const std::string_view text = t.text(row, column);
  if (text != "yes" && text != "no") t.fail(row, std::string{column} + " is neither yes nor no");
  return text == "yes";
}

std::vector<MeasuredDevice> read_devices(const DataFile& file) {
  const CsvTable table{
      file,
      {"device", "model", "architecture", "sm_count", "fp32_tflops", "fp16_tensor_tflops", "int8_tops",
       "fp8_tflops", "fp4_tflops", "memory_gb_per_s", "l2_mb", "tdp_w", "power_limited", "source"}};
  std::vector<MeasuredDevice> devices;
  for (std::size_t i = 0; i < table.size(); ++i) {
    MeasuredDevice d;
    d.name = d.rates.name = table.text(i, "device");
    d.model = table.text(i, "model");
    d.rates.architecture = table.text(i, "architecture");
    d.rates.sm_count = static_cast<int>(table.number(i, "sm_count", 1));
    d.rates.fp32 = FlopRate{table.number(i, "fp32_tflops", 1e-3) * 1e12};
    d.rates.fp16_tensor = FlopRate{table.number(i, "fp16_tensor_tflops", 0) * 1e12};
    d.rates.int8 = FlopRate{table.number(i, "int8_tops", 0) * 1e12};
    d.rates.fp8_tensor = FlopRate{table.number(i, "fp8_tflops", 0) * 1e12};
    d.rates.fp4_tensor = FlopRate{table.number(i, "fp4_tflops", 0) * 1e12};
    d.rates.memory = Bandwidth{table.number(i, "memory_gb_per_s", 1e-3) * 1e9};
    d.rates.l2 = Bytes{table.number(i, "l2_mb", 0) * 1e6};
    d.rates.tdp = Power{table.number(i, "tdp_w", 1)};
    d.power_limited = yes_or_no(table, i, "power_limited");
    for (const MeasuredDevice& other : devices)
      if (other.name == d.name) table.fail(i, "device \"" + d.name + "\" stands twice");
    devices.push_back(d);
  }
  return devices;
}

std::map<std::string, Timing, std::less<>> read_sources(const DataFile& file) {
  const CsvTable table{file, {"folder", "timing", "title"}};
  constexpr std::array<std::string_view, 4> names{"back_to_back", "events_around_call", "kernel_trace",
                                                  "with_conversion"};
  std::map<std::string, Timing, std::less<>> out;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto at = std::find(names.begin(), names.end(), table.text(i, "timing"));
    if (at == names.end())
      table.fail(i, "unknown timing",
                 "known: back_to_back, events_around_call, kernel_trace, with_conversion");
    out[std::string{table.text(i, "folder")}] = static_cast<Timing>(at - names.begin());
  }
  return out;
}

std::size_t device_index(const RowContext& context, std::size_t row) {
  const std::string_view name = context.table.text(row, "device");
  for (std::size_t i = 0; i < context.data.devices.size(); ++i)
    if (context.data.devices[i].name == name) return i;
  context.table.fail(row, "unknown device \"" + std::string{name} + "\"", "devices.csv lists the known ones");
}

/// Reads a name through `parse`, whose Error lists the known ones, and adds the place.
template <class Parse>
auto named(const RowContext& context, std::size_t row, std::string_view column, Parse parse) {
  try {
    return parse(context.table.text(row, column));
  } catch (const Error& e) {
    context.table.fail(row, e.message(), e.hint());
  }
}

MeasuredKernel start_row(const RowContext& context, std::size_t row) {
  MeasuredKernel k;
  k.device = device_index(context, row);
  k.timing = context.timing;
  k.source = context.file.substr(0, context.file.rfind('/'));
  k.where = context.file + ":" + std::to_string(context.table.line(row));
  return k;
}

double element_bytes(Arithmetic a) {
  switch (a) {
    case Arithmetic::fp32:
      return 4;
    case Arithmetic::int8:
    case Arithmetic::fp8:
      return 1;
    case Arithmetic::fp4:
      return fp4_bytes;
    default:
      return 2;
  }
}

MeasuredKernel start_compute_row(const RowContext& context, std::size_t row) {
  MeasuredKernel k = start_row(context, row);
  k.library = named(context, row, "library", parse_library_generation);
  k.call.arithmetic = named(context, row, "arithmetic", parse_arithmetic);
  k.call.peak = peak_of(context.data.devices[k.device].rates, k.call.arithmetic);
  if (k.call.peak <= FlopRate{0}) context.table.fail(row, "devices.csv gives this device no such arithmetic");
  k.call.element_bytes = element_bytes(k.call.arithmetic);
  k.call.fused_groups = k.library >= LibraryGeneration::cudnn7;
  k.seconds = context.table.number(row, "time_us", 1e-3) * 1e-6;
  return k;
}

void note_shape(MeasuredKernel& k, std::initializer_list<double> numbers) {
  for (const double x : numbers) k.shape += std::to_string(static_cast<long long>(x)) + "/";
}

void read_gemm(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_compute_row(context, i);
    k.call.kind = KernelClass::gemm;
    MatrixShape& s = k.call.matrix;
    s = {t.number(i, "m", 1), t.number(i, "n", 1), t.number(i, "k", 1), t.number(i, "count", 1)};
    note_shape(k, {s.count, s.m, s.n, s.k});
    out.push_back(std::move(k));
  }
}

/// Linear layers of m tokens with weights of n x k. Their times repeat over a few copies of the weights,
/// which a large cache holds; shapes of the same weights are held out together.
void read_linear(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_compute_row(context, i);
    k.call.kind = KernelClass::gemm;
    k.call.result_bytes = std::max(2.0, k.call.element_bytes);
    MatrixShape& s = k.call.matrix;
    s = {t.number(i, "m", 1), t.number(i, "n", 1), t.number(i, "k", 1), 1};
    const std::string_view place = t.text(i, "weights_in");
    if (place != "cache" && place != "memory")
      t.fail(i, "unknown place of weights \"" + std::string{place} + "\"", "known: cache, memory");
    if (place == "cache") k.call.cached_bytes = k.call.element_bytes * s.n * s.k;
    note_shape(k, {s.n, s.k});
    out.push_back(std::move(k));
  }
}

void read_sustained(const RowContext& context, std::vector<MeasuredKernel>&) {
  const std::size_t first = context.data.sustained.size();
  read_linear(context, context.data.sustained);
  for (std::size_t i = first; i < context.data.sustained.size(); ++i)
    if (!on_matrix_units(context.data.sustained[i].call.arithmetic))
      context.table.fail(i - first, "only products on matrix units have a power limit",
                         "known: tensor, fp8, fp4");
}

KernelClass conv_class(const RowContext& context, std::size_t row) {
  const std::string_view pass = context.table.text(row, "pass");
  if (pass == "forward") return KernelClass::conv_forward;
  if (pass == "data_gradient") return KernelClass::conv_data_gradient;
  if (pass == "weight_gradient") return KernelClass::conv_weight_gradient;
  context.table.fail(row, "unknown pass \"" + std::string{pass} + "\"",
                     "known: forward, data_gradient, weight_gradient");
}

void read_conv(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_compute_row(context, i);
    k.call.kind = conv_class(context, i);
    ConvolutionShape& s = k.call.conv;
    s = {t.number(i, "n", 1), t.number(i, "c", 1),        t.number(i, "h", 1),
         t.number(i, "w", 1), t.number(i, "k", 1),        t.number(i, "r", 1),
         t.number(i, "s", 1), t.number(i, "stride_h", 1), t.number(i, "stride_w", 1)};
    const double pad_h = t.number(i, "pad_h", 0), pad_w = t.number(i, "pad_w", 0);
    s.oh = std::floor((s.h + 2 * pad_h - s.r) / s.stride_h) + 1;
    s.ow = std::floor((s.w + 2 * pad_w - s.s) / s.stride_w) + 1;
    if (s.oh < 1 || s.ow < 1) t.fail(i, "the filter is larger than the padded input");
    // Padding a 1x1 filter and the data gradient of a first layer occur in no network.
    if ((s.r * s.s == 1 && pad_h + pad_w > 0) || (k.call.kind == KernelClass::conv_data_gradient && s.c < 8))
      continue;
    note_shape(k, {s.n, s.c, s.h, s.w, s.k, s.r, s.s, s.stride_h, s.stride_w});
    out.push_back(std::move(k));
  }
}

double gates_of(const RowContext& context, std::size_t row) {
  const std::string_view cell = context.table.text(row, "cell");
  if (cell == "vanilla") return 1;
  if (cell == "gru") return 3;
  if (cell == "lstm") return 4;
  context.table.fail(row, "unknown cell \"" + std::string{cell} + "\"", "known: vanilla, gru, lstm");
}

void read_rnn(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_compute_row(context, i);
    const std::string_view pass = t.text(i, "pass");
    const double gates = gates_of(context, i), hidden = t.number(i, "hidden", 1),
                 batch = t.number(i, "batch", 1);
    k.call.steps = t.number(i, "steps", 1);
    if (pass == "forward") {
      k.call.kind = KernelClass::recurrent_forward;
      k.call.matrix = {gates * hidden, batch, hidden, 1};
    } else if (pass == "data_gradient") {
      k.call.kind = KernelClass::recurrent_data_gradient;
      k.call.matrix = {hidden, batch, gates * hidden, 1};
    } else if (pass == "weight_gradient") {
      continue;  // one plain product over all steps; the gemm rows cover it
    } else {
      t.fail(i, "unknown pass \"" + std::string{pass} + "\"",
             "known: forward, data_gradient, weight_gradient");
    }
    note_shape(k, {gates, hidden, batch, k.call.steps});
    out.push_back(std::move(k));
  }
}

void read_vector(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  const std::map<std::string_view, KernelClass> kinds{
      {"add", KernelClass::elementwise},    {"mul", KernelClass::elementwise},
      {"relu", KernelClass::elementwise},   {"gelu", KernelClass::elementwise},
      {"tanh", KernelClass::elementwise},   {"activation", KernelClass::elementwise},
      {"softmax", KernelClass::softmax},    {"ln", KernelClass::norm},
      {"embedding", KernelClass::embedding}};
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_row(context, i);
    k.library = named(context, i, "library", parse_library_generation);
    const auto kind = kinds.find(t.text(i, "operation"));
    if (kind == kinds.end())
      t.fail(i, "unknown operation \"" + std::string{t.text(i, "operation")} + "\"",
             "known: add, mul, relu, gelu, tanh, activation, softmax, ln, embedding");
    k.call.kind = kind->second;
    k.call.moved_bytes = t.number(i, "bytes", 1);
    k.seconds = t.number(i, "time_us", 1e-3) * 1e-6;
    k.shape = std::string{t.text(i, "operation")} + "/";
    note_shape(k, {t.number(i, "rows", 1), t.number(i, "columns", 1)});
    out.push_back(std::move(k));
  }
}

MatrixShape attention_shape(const CsvTable& t, std::size_t row) {
  return {t.number(row, "queries", 1), t.number(row, "keys", 1), t.number(row, "head_dim", 1),
          t.number(row, "batch", 1) * t.number(row, "heads", 1)};
}

void read_attention(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const std::string kernel{t.text(i, "kernel")}, pass{t.text(i, "pass")};
    if (kernel != "unfused" && kernel != "flash1" && kernel != "flash2")
      t.fail(i, "unknown kernel \"" + kernel + "\"", "known: unfused, flash1, flash2");
    if (pass != "forward" && pass != "backward")
      t.fail(i, "unknown pass \"" + pass + "\"", "known: forward, backward");
    MeasuredKernel k = start_row(context, i);
    k.library = named(context, i, "library", parse_library_generation);
    k.call.arithmetic = Arithmetic::tensor;
    k.call.peak = peak_of(context.data.devices[k.device].rates, Arithmetic::tensor);
    if (k.call.peak <= FlopRate{0}) t.fail(i, "devices.csv gives this device no such arithmetic");
    k.call.element_bytes = element_bytes(Arithmetic::tensor);
    k.call.causal = yes_or_no(t, i, "causal");
    k.call.matrix = attention_shape(t, i);
    k.seconds = t.number(i, "time_us", 1e-3) * 1e-6;
    if (kernel == "unfused") {
      context.data.unfused_attention.push_back(
          {k.device, pass == "backward", k.call.causal, k.call.matrix, k.seconds});
      continue;
    }
    k.call.kind = parse_kernel_class(kernel + "_" + pass);
    k.shape = k.call.causal ? "causal/" : "";
    const MatrixShape& s = k.call.matrix;
    note_shape(k, {s.count, s.m, s.n, s.k});
    out.push_back(std::move(k));
  }
}

/// Attention of one new token for each request. `sets` are requests times heads of keys; `key_bytes` are
/// those that one token keeps in a set.
void read_decode(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const std::string_view kernel = t.text(i, "kernel");
    if (kernel != "shared" && kernel != "latent")
      t.fail(i, "unknown kernel \"" + std::string{kernel} + "\"", "known: shared, latent");
    MeasuredKernel k = start_compute_row(context, i);
    k.call.kind = kernel == "latent" ? KernelClass::latent_decode_attention : KernelClass::decode_attention;
    MatrixShape& s = k.call.matrix;
    s = {t.number(i, "heads", 1), t.number(i, "keys", 1), t.number(i, "depth", 1), t.number(i, "sets", 1)};
    k.call.moved_bytes = s.count * s.n * t.number(i, "key_bytes", 1);
    note_shape(k, {s.count, s.m, s.n, s.k});
    out.push_back(std::move(k));
  }
}

/// All experts of a layer in one call. `rows` are those of each expert that is met, and may be a mean.
void read_experts(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_compute_row(context, i);
    k.call.kind = KernelClass::experts;
    k.call.matrices = t.number(i, "matrices", 2);
    MatrixShape& s = k.call.matrix;
    s = {t.number(i, "rows", 0), t.number(i, "inner", 1), t.number(i, "width", 1), t.number(i, "experts", 1)};
    note_shape(k, {k.call.matrices, s.n, s.k, s.count});
    out.push_back(std::move(k));
  }
}

/// Steady bandwidths at full occupancy, as kernels that move 4 GB (any size far beyond the caches would do).
void read_bandwidth(const RowContext& context, std::vector<MeasuredKernel>& out) {
  const CsvTable& t = context.table;
  constexpr double bytes = 4e9;
  for (std::size_t i = 0; i < t.size(); ++i) {
    MeasuredKernel k = start_row(context, i);
    const double occupancy = t.number(i, "occupancy", 0), rate = t.number(i, "gb_per_s", 1e-3) * 1e9;
    const std::string_view operation = t.text(i, "operation");
    if (occupancy < 0.95 || (operation != "scale" && operation != "triad")) continue;
    k.call.kind = KernelClass::elementwise;
    k.call.moved_bytes = bytes;
    k.seconds = bytes / rate;
    k.shape = std::string{operation} + "/";
    note_shape(k, {t.number(i, "threads", 1)});
    out.push_back(std::move(k));
  }
}

void read_batched_tiles(const RowContext& context, std::vector<MeasuredKernel>&) {
  const CsvTable& t = context.table;
  for (std::size_t i = 0; i < t.size(); ++i) {
    BatchedTile tile;
    tile.device = device_index(context, i);
    tile.library = named(context, i, "library", parse_library_generation);
    tile.arithmetic = named(context, i, "arithmetic", parse_arithmetic);
    tile.rows = t.number(i, "rows", 1);
    tile.columns = t.number(i, "columns", 1);
    if (!is_product_tile(tile.rows, tile.columns)) t.fail(i, "products have no such tile");
    context.data.batched_tiles.push_back(tile);
  }
}

using Reader = void (*)(const RowContext&, std::vector<MeasuredKernel>&);
struct TableKind {
  std::string_view file;
  std::vector<std::string_view> columns;
  Reader read;
};

const std::vector<TableKind>& table_kinds() {
  static const std::vector<TableKind> kinds{
      {"gemm.csv", {"device", "library", "arithmetic", "count", "m", "n", "k", "time_us"}, read_gemm},
      {"linear.csv",
       {"device", "library", "arithmetic", "m", "n", "k", "weights_in", "time_us"},
       read_linear},
      {"sustained.csv",
       {"device", "library", "arithmetic", "m", "n", "k", "weights_in", "time_us"},
       read_sustained},
      {"conv.csv",
       {"device", "library", "arithmetic", "n", "c", "h", "w", "k", "r", "s", "pad_h", "pad_w", "stride_h",
        "stride_w", "pass", "time_us"},
       read_conv},
      {"rnn.csv",
       {"device", "library", "arithmetic", "cell", "hidden", "batch", "steps", "pass", "time_us"},
       read_rnn},
      {"attention.csv",
       {"device", "library", "kernel", "pass", "causal", "batch", "heads", "queries", "keys", "head_dim",
        "time_us"},
       read_attention},
      {"decode.csv",
       {"device", "library", "arithmetic", "kernel", "sets", "heads", "keys", "depth", "key_bytes",
        "time_us"},
       read_decode},
      {"experts.csv",
       {"device", "library", "arithmetic", "matrices", "experts", "rows", "inner", "width", "time_us"},
       read_experts},
      {"vector.csv", {"device", "library", "operation", "rows", "columns", "bytes", "time_us"}, read_vector},
      {"bandwidth.csv", {"device", "operation", "threads", "occupancy", "gb_per_s"}, read_bandwidth},
      {"batched_tiles.csv", {"device", "library", "arithmetic", "rows", "columns"}, read_batched_tiles}};
  return kinds;
}

}  // namespace

FlopRate peak_of(const GpuRates& gpu, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::tensor:
      return gpu.fp16_tensor;
    case Arithmetic::int8:
      return gpu.int8;
    case Arithmetic::fp8:
      return gpu.fp8_tensor;
    case Arithmetic::fp4:
      return gpu.fp4_tensor;
    default:
      return gpu.fp32;
  }
}

KernelData load_kernel_data(const std::vector<DataFile>& files) {
  KernelData data;
  data.devices = read_devices(find_file(files, "devices.csv"));
  const auto sources = read_sources(find_file(files, "sources.csv"));
  for (const DataFile& file : files) {
    const std::size_t slash = file.name.rfind('/');
    if (slash == std::string::npos) continue;
    const std::string folder = file.name.substr(0, slash), name = file.name.substr(slash + 1);
    for (const TableKind& kind : table_kinds()) {
      if (kind.file != name) continue;
      const auto source = sources.find(folder);
      if (source == sources.end())
        throw Error{"sources.csv does not say how \"" + folder + "\" was timed", Where{.file = file.path}};
      const CsvTable table{file, kind.columns};
      kind.read({data, table, source->second, file.name}, data.kernels);
    }
  }
  if (data.kernels.empty()) throw Error{"the data folder holds no measured kernels"};
  return data;
}

}  // namespace rackcast
