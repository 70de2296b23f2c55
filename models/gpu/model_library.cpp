#include "models/gpu/model_library.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "models/gpu/board_power.hpp"
#include "models/gpu/cache_rates.hpp"
#include "models/gpu/product_scaling.hpp"
#include "models/gpu/rates_of.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "topologies/hardware/architecture_spec.hpp"

namespace rackcast {

std::span<const EmbeddedFile> model_data();  // defined by rackcast_embed

namespace {

// How much a borrowed set adds to the spread: the shift that all kernels share when the parameters of one
// measured GPU predict another's (the table "Borrowed parameters" of docs/accuracy/kernels.md before the GPUs
// of 2020 to 2025 were measured, whose pairs of all kinds count there now: 0.10 between GPUs of one
// architecture; 0.19 per class one architecture apart with one library and 0.37 with two, of which sums over
// networks keep 0.22; three and five apart with one library 0.11 and, with two, 0.19: the distance adds as
// independent changes do).
constexpr double sigma_of_other_gpu = 0.10;
constexpr double sigma_per_architecture = 0.20;
constexpr double sigma_per_library = 0.05;
constexpr double sigma_of_arithmetic = 0.15;

KernelParameters read_parameters(ObjectReader reader, KernelClass kind, Arithmetic arithmetic) {
  KernelParameters out = expected_parameters();
  for (std::size_t i = 0; i < kernel_parameter_count; ++i) {
    const auto p = static_cast<KernelParameter>(i);
    if (!uses(kind, arithmetic, p)) continue;
    const KernelParameterInfo& about = info(p);
    out.values[i] = about.microseconds ? reader.quantity<Duration>(about.name).base() * 1e6
                                       : reader.number(about.name, 1e-6, 1e6);
  }
  reader.finish();
  return out;
}

/// "batched_tile": [64, 128], where the library has one kernel for products of many matrices.
void read_batched_tile(ObjectReader& reader, KernelParameters& out) {
  const Json* tile = reader.find("batched_tile");
  if (!tile) return;
  const auto& sides = tile->array();
  if (sides.size() != 2 || !is_product_tile(sides[0].number(), sides[1].number()))
    tile->fail("products have no such tile", "rows and columns, for example [128, 128]");
  out.batched_rows = sides[0].number();
  out.batched_columns = sides[1].number();
}

/// "power_limit": {"traffic": 0.34, ...}, where products were measured at the limit, or siblings lent theirs.
void read_power_limit(ObjectReader& reader, FittedKernel& out) {
  const Json* limit = reader.find("power_limit");
  if (!limit) return;
  if (!uses(out.kind, out.arithmetic, KernelParameter::power_fraction))
    limit->fail("no power limit is known of these kernels", "products on matrix units have one");
  ObjectReader in{*limit};
  out.parameters.traffic_power = in.number("traffic", 0, 100);
  for (const auto key : {"rows", "fitted_median_abs_error", "lent_by"}) in.find(key);  // for people
  in.finish();
  out.at_the_limit = true;
}

template <class Parse>
auto parsed(ObjectReader& reader, std::string_view key, Parse parse) {
  const Json& value = reader.require(key);
  try {
    return parse(value.string());
  } catch (const Error& e) {
    value.fail(e.message(), e.hint());
  }
}

FittedKernel read_kernel(const Json& json, const std::string& model, const std::string& architecture) {
  ObjectReader reader{json};
  FittedKernel k;
  k.model = model;
  k.architecture = architecture;
  k.kind = parsed(reader, "class", parse_kernel_class);
  k.arithmetic = parsed(reader, "arithmetic", parse_arithmetic);
  k.library = parsed(reader, "library", parse_library_generation);
  k.memory_per_sm = reader.quantity_or("memory_per_sm", Bandwidth{0});
  k.peak_per_sm = reader.quantity_or("peak_per_sm", FlopRate{0});
  k.power_per_sm = reader.quantity_or("power_per_sm", Power{0});
  k.parameters = read_parameters(ObjectReader{reader.require("parameters")}, k.kind, k.arithmetic);
  read_batched_tile(reader, k.parameters);
  read_power_limit(reader, k);
  k.only_3x3 = reader.boolean_or("only_3x3", false);
  for (const auto key : {"devices", "rows", "relative_sigma", "launch_path", "roofline_median_abs_error"})
    reader.find(key);  // for people and for the accuracy table
  ObjectReader held_out{reader.require("held_out")};
  k.log_sigma = held_out.number("log_sigma", 0, 10);
  held_out.find("median_abs_error");
  held_out.find("quantiles");
  held_out.finish();
  reader.finish();
  return k;
}

/// 0 exact; more the worse the set's arithmetic stands in for the wanted one; negative: it cannot.
int arithmetic_penalty(Arithmetic wanted, Arithmetic have, bool same_architecture) {
  if (wanted == have) return wanted == Arithmetic::half_storage && !same_architecture ? 2 : 0;
  if (wanted == Arithmetic::fp8 && have == Arithmetic::tensor) return 1;
  if (wanted == Arithmetic::fp4 && on_matrix_units(have)) return have == Arithmetic::fp8 ? 1 : 2;
  if (have == Arithmetic::fp32) return wanted == Arithmetic::half_storage ? 1 : 3;
  return -1;
}

/// An SM with twice the lanes issues no more instructions that feed them: a V100 and an A100, with 64, reach
/// their fp32 peak in convolutions; an H200, with 128, half of it.
bool other_lanes(const GpuRates& gpu, const FittedKernel& from) {
  if (from.arithmetic != Arithmetic::fp32 || !(from.peak_per_sm > FlopRate{0})) return false;
  constexpr double clocks = 1.5;  // they differ by less
  return std::abs(std::log(gpu.fp32 / gpu.sm_count / from.peak_per_sm)) > std::log(clocks);
}

/// From Hopper on, each architecture has its own instructions for matrix units, whose convolutions reach the
/// limit of the board's power or of its cache: their fit does not tell what another architecture reaches
/// without these limits. An H200's numbers give a V100's convolutions times that are 13 to 36 % too short in
/// the median, a T4's 23 to 51 %; a V100's give a T4's 10 to 28 % too short
/// (tests/unit/calibrate/lent_convolutions_test.cpp).
bool other_instructions(const GpuRates& gpu, const FittedKernel& from) {
  if (!is_convolution(from.kind) || !on_matrix_units(from.arithmetic)) return false;
  const ArchitectureSpec* other = builtin_architecture(from.architecture);
  return other != nullptr && other->own_attention_instructions && gpu.architecture != from.architecture;
}

}  // namespace

FlopRate matrix_peak(const GpuRates& gpu, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::tensor:
      return gpu.fp16_tensor;
    case Arithmetic::fp8:
      return gpu.fp8_tensor;
    case Arithmetic::fp4:
      return gpu.fp4_tensor;
    default:
      return FlopRate{0};
  }
}

bool is_board_of(std::string_view gpu, std::string_view model) {
  return gpu.starts_with(model) && (gpu.size() == model.size() || gpu[model.size()] == '_');
}

int architecture_distance(const GpuRates& gpu, std::string_view measured) {
  if (gpu.architecture == measured) return 0;
  // A device that a user measured may be of an architecture of the user's own.
  const ArchitectureSpec* other = builtin_architecture(measured);
  return architecture_distance(architecture_of(gpu), other ? *other : ArchitectureSpec{});
}

int architecture_distance(std::string_view a, std::string_view b) {
  GpuRates gpu;
  gpu.architecture = a;
  return architecture_distance(gpu, b);
}

/// The Winograd kernels of a later library, where a GPU was only measured with an earlier one: those of the
/// nearest architecture that was measured with it. Weight gradients gained two to three times from cuDNN 5.0
/// to 6 (0.38 to 1.1 of the peak on Titan X, P100 and Titan Xp).
static void use_later_winograd(KernelParameters& parameters, const FittedKernel& from, const GpuRates& gpu,
                               LibraryGeneration wanted, std::span<const FittedKernel> all) {
  const FittedKernel* later = nullptr;
  for (const FittedKernel& k : all) {
    if (k.kind != from.kind || k.arithmetic != from.arithmetic || k.library <= from.library ||
        k.library > wanted)
      continue;
    if (!later ||
        architecture_distance(gpu, k.architecture) < architecture_distance(gpu, later->architecture))
      later = &k;
  }
  if (!later) return;
  for (const auto p : {KernelParameter::winograd_2x2, KernelParameter::winograd_4x4})
    parameters[p] = std::max(parameters[p], later->parameters[p]);
}

/// The cache grows with the SMs, not with the memory: a board with faster memory (H200 beside H100, the 80 GB
/// A100 beside that of 40 GB) keeps it.
static void keep_cache(KernelParameters& parameters, const FittedKernel& from, const GpuRates& gpu) {
  if (from.memory_per_sm > Bandwidth{0})
    parameters[KernelParameter::cache_ratio] *= from.memory_per_sm / (gpu.memory / gpu.sm_count);
}

/// Convolutions read the same share of what the cache of another architecture gives, where both caches were
/// measured. In units of the memory that share differs: an L40S reads its cache 6.6 times as fast as its
/// memory, a V100 2.7 times.
static void carry_cache(KernelParameters& parameters, const FittedKernel& from, const GpuRates& gpu) {
  const Bandwidth own = cache_rate_per_sm(gpu.name), lent = cache_rate_per_sm(from.model);
  if (from.memory_per_sm > Bandwidth{0} && own > Bandwidth{0} && lent > Bandwidth{0})
    parameters[KernelParameter::cache_ratio] *=
        (own / (gpu.memory / gpu.sm_count)) / (lent / from.memory_per_sm);
}

/// Gives products the power limit of `from`, as the board `gpu` has it.
static void take_power(KernelParameters& parameters, const FittedKernel& from, const GpuRates& gpu) {
  parameters[KernelParameter::power_fraction] = from.parameters[KernelParameter::power_fraction];
  parameters.traffic_power = from.parameters.traffic_power;
  carry_power(parameters, {from.peak_per_sm, from.power_per_sm, from.memory_per_sm},
              sm_limits(gpu, from.arithmetic));
}

void scale_by_products(KernelParameters& parameters, const KernelParameters& own_products,
                       const KernelParameters& lent_products) {
  // A fit whose rate the power limit or the cache holds back may say more than the peak: no kernel has that.
  const auto reached = [](const KernelParameters& products, KernelParameter p) {
    return std::min(1.0, products[p]);
  };
  for (const auto p : {KernelParameter::peak_fraction, KernelParameter::bandwidth_fraction})
    parameters[p] *= reached(own_products, p) / reached(lent_products, p);
}

GpuModelLibrary::GpuModelLibrary(std::span<const EmbeddedFile> files) {
  constexpr std::string_view folder = "gpu_models/";
  for (const EmbeddedFile& file : files) {
    if (!file.name.starts_with(folder) || !file.name.ends_with(".json")) continue;
    read(parse_json(std::string{file.text}, std::string{file.name}), false);
  }
}

void GpuModelLibrary::read(const Json& file, bool own) {
  ObjectReader reader{file};
  if (own) {
    reader.string("format");
    reader.integer("version", 1, 1);
    reader.find("collectives");  // for the model of collectives
  }
  reader.string("source");
  if (reader.has("network_log_sigma")) network_log_sigma_ = reader.number("network_log_sigma", 0, 10);
  if (!own && !reader.has("kernels")) {
    reader.finish();
    return;
  }
  const std::string model = reader.string("model"), architecture = reader.string("architecture");
  const bool power_limited = reader.boolean_or("power_limited", false);
  for (const Json& kernel : reader.require("kernels").array()) {
    kernels_.push_back(read_kernel(kernel, model, architecture));
    kernels_.back().power_limited = power_limited;
    kernels_.back().own = own;
  }
  reader.finish();
}

void GpuModelLibrary::add(const Json& device) {
  const Json& format = device.require("format");
  if (format.string() != "rackcast-device")
    format.fail("this document holds no GPU model",
                "`rackcast calibrate fit box.json -o device.json` writes one");
  read(device, true);
}

GpuModelLibrary GpuModelLibrary::builtin() {
  return GpuModelLibrary{model_data()};
}

const FittedKernel* GpuModelLibrary::nearest(const GpuRates& gpu, KernelClass kind, Arithmetic arithmetic,
                                             LibraryGeneration library, bool any_filter) const {
  const FittedKernel* best = nullptr;
  double best_distance = std::numeric_limits<double>::infinity();
  for (const FittedKernel& k : kernels_) {
    const int steps = architecture_distance(gpu, k.architecture);
    const int penalty = arithmetic_penalty(arithmetic, k.arithmetic, steps == 0);
    if (k.kind != kind || penalty < 0) continue;
    // The same GPU (or its other board) before a sibling of its architecture.
    const bool same = is_board_of(gpu.name, k.model);
    const int generations =
        k.own && same ? 0 : std::abs(static_cast<int>(library) - static_cast<int>(k.library));
    // Less than for other arithmetic, more than for any other GPU.
    const double filters = any_filter && k.only_3x3 && !k.own ? 90 : 0;
    // Among siblings that whose matrix units are most alike: some boards have half of the rate.
    const FlopRate peak = matrix_peak(gpu, k.arithmetic) / std::max(gpu.sm_count, 1);
    const double unlike = k.peak_per_sm > FlopRate{0} && peak > FlopRate{0}
                              ? std::min(3.0, std::abs(std::log(peak / k.peak_per_sm)))
                              : 0;
    const double lanes = other_lanes(gpu, k) ? 20 : 0;                // as two architectures
    const double instructions = other_instructions(gpu, k) ? 60 : 0;  // as six
    const double distance = 100 * penalty + filters + 10 * steps + unlike + lanes + instructions +
                            (same && k.own     ? -1
                             : same            ? 0
                             : k.power_limited ? 24
                                               : 4) +
                            3 * generations;
    if (distance < best_distance) {
      best_distance = distance;
      best = &k;
    }
  }
  return best;
}

const FittedKernel* GpuModelLibrary::products_of(const FittedKernel& kernel) const {
  for (const FittedKernel& k : kernels_)
    if (k.kind == KernelClass::gemm && k.model == kernel.model && k.arithmetic == kernel.arithmetic &&
        k.library == kernel.library && k.own == kernel.own)
      return &k;
  return nullptr;
}

const FittedKernel& GpuModelLibrary::limit_of(const FittedKernel& products) const {
  if (!products.own || products.at_the_limit) return products;
  for (const FittedKernel& k : kernels_)
    if (!k.own && k.at_the_limit && k.kind == products.kind && k.arithmetic == products.arithmetic &&
        is_board_of(products.model, k.model))
      return k;
  return products;
}

void GpuModelLibrary::limit_by_products(KernelParameters& convolutions, const GpuRates& gpu,
                                        Arithmetic arithmetic, LibraryGeneration library) const {
  const FittedKernel* products = nearest(gpu, KernelClass::gemm, arithmetic, library, false);
  if (products == nullptr || products->arithmetic != arithmetic) return;
  KernelParameters parameters = products->parameters;
  if (architecture_distance(gpu, products->architecture) == 0)
    take_power(parameters, limit_of(*products), gpu);
  convolutions.power_share = parameters[KernelParameter::power_fraction];
  convolutions.traffic_power = parameters.traffic_power;
}

KernelChoice GpuModelLibrary::choose(const GpuRates& gpu, KernelClass kind, Arithmetic arithmetic,
                                     LibraryGeneration library, bool any_filter) const {
  const FittedKernel* best = nearest(gpu, kind, arithmetic, library, any_filter);
  if (!best) throw Error{"no measured kernels of class " + std::string{to_string(kind)}};
  const int steps = architecture_distance(gpu, best->architecture);
  const bool own = best->own && is_board_of(gpu.name, best->model);
  const int generations = own ? 0 : std::abs(static_cast<int>(library) - static_cast<int>(best->library));
  KernelChoice choice;
  choice.parameters = best->parameters;
  if (is_convolution(kind) && best->library < library && !own)
    use_later_winograd(choice.parameters, *best, gpu, library, kernels_);
  if (steps == 0) keep_cache(choice.parameters, *best, gpu);
  if (steps == 0 && uses(kind, best->arithmetic, KernelParameter::power_fraction))
    take_power(choice.parameters, limit_of(*best), gpu);
  if (is_convolution(kind) && steps > 0) {
    carry_cache(choice.parameters, *best, gpu);
    const FittedKernel* own_products = nearest(gpu, KernelClass::gemm, best->arithmetic, library, false);
    const FittedKernel* lent_products = products_of(*best);
    if (own_products && lent_products && own_products->arithmetic == best->arithmetic &&
        architecture_distance(gpu, own_products->architecture) < steps)
      scale_by_products(choice.parameters, own_products->parameters, lent_products->parameters);
  }
  // Kernels are timed in bursts shorter than the board's regulation of its power; trainings last.
  if (is_convolution(kind) && on_matrix_units(best->arithmetic) && !own)
    limit_by_products(choice.parameters, gpu, best->arithmetic, library);
  choice.model = best->model;
  choice.other_gpu = steps > 0;
  choice.library = best->library;
  choice.other_arithmetic = best->arithmetic != arithmetic;
  if (gpu.architecture != best->architecture)
    for (const auto p : {KernelParameter::peak_fraction, KernelParameter::power_fraction})
      choice.parameters[p] /= architecture_of(gpu).borrowed_slowdown;
  choice.borrowed_sigma =
      std::sqrt(std::pow(is_board_of(gpu.name, best->model) ? 0 : sigma_of_other_gpu, 2) +
                std::pow(sigma_per_architecture, 2) * steps + std::pow(sigma_per_library * generations, 2) +
                std::pow(choice.other_arithmetic ? sigma_of_arithmetic : 0, 2));
  choice.log_sigma = std::hypot(best->log_sigma, choice.borrowed_sigma);
  return choice;
}

}  // namespace rackcast
