#include "calibrate/fit/kernel_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "models/gpu/cost.hpp"

namespace rackcast {
namespace {

struct Column {
  std::string_view title;
  KernelClass kind;
};
constexpr Column columns[] = {{"product", KernelClass::gemm},
                              {"conv", KernelClass::conv_forward},
                              {"conv, data gradient", KernelClass::conv_data_gradient},
                              {"conv, weight gradient", KernelClass::conv_weight_gradient},
                              {"recurrent", KernelClass::recurrent_forward},
                              {"recurrent, data gradient", KernelClass::recurrent_data_gradient},
                              {"map", KernelClass::elementwise},
                              {"softmax", KernelClass::softmax},
                              {"norm", KernelClass::norm},
                              {"embedding", KernelClass::embedding}};

std::string_view arithmetic_text(Arithmetic a) {
  switch (a) {
    case Arithmetic::fp32:
      return "fp32";
    case Arithmetic::half_storage:
      return "fp16 storage, fp32 arithmetic";
    case Arithmetic::tensor:
      return "fp16 tensor cores";
    case Arithmetic::fp8:
      return "fp8";
    case Arithmetic::fp4:
      return "fp4";
    case Arithmetic::int8:
      break;
  }
  return "int8";
}

std::string percent(double fraction) {
  return fmt::format("{:.{}f}", fraction * 100, fraction < 0.0995 ? 1 : 0);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

using FitRow = std::tuple<std::string, Arithmetic, LibraryGeneration>;

std::string kernel_table(const std::vector<KernelFit>& fits) {
  std::map<FitRow, std::map<KernelClass, const KernelFit*>> rows;
  for (const KernelFit& fit : fits)
    if (!needs_matrix_units(fit.key.kind))
      rows[{fit.key.model, fit.key.arithmetic, fit.key.library}][fit.key.kind] = &fit;
  std::string out = "| GPU | arithmetic | library |", line = "|---|---|---|";
  for (const Column& column : columns) {
    out += fmt::format(" {} |", column.title);
    line += "---:|";
  }
  out += "\n" + line + "\n";
  for (const auto& [row, by_class] : rows) {
    const auto& [model, arithmetic, library] = row;
    out += fmt::format("| {} | {} | {} |", model, arithmetic_text(arithmetic), to_string(library));
    for (const Column& column : columns) {
      const auto at = by_class.find(column.kind);
      if (at == by_class.end())
        out += " |";
      else
        out += fmt::format(" {} ({}) |", percent(at->second->residuals.median_abs),
                           percent(at->second->roofline.median_abs));
    }
    out += "\n";
  }
  return out;
}

std::string sums_table(const std::vector<NetworkSum>& sums) {
  std::map<std::string, std::map<FitRow, std::vector<double>>> by_network;
  std::map<FitRow, std::vector<double>> all;
  for (const NetworkSum& s : sums) {
    const FitRow row{s.model, s.arithmetic, s.library};
    const double error = std::abs(s.predicted / s.measured - 1);
    all[row].push_back(error);
    by_network[s.network][row].push_back(error);
  }
  std::string out =
      "| GPU | arithmetic | library | ResNet-50 | VGG-16 | all groups, median "
      "|\n|---|---|---|---:|---:|---:|\n";
  for (const auto& entry : all) {
    const FitRow& row = entry.first;
    const auto& [model, arithmetic, library] = row;
    const auto cell = [&](const char* network) {
      const auto& of = by_network[network];
      const auto at = of.find(row);
      if (at == of.end()) return std::string{};
      std::string text;
      for (const double e : at->second) text += (text.empty() ? "" : ", ") + percent(e);
      return text;
    };
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", model, arithmetic_text(arithmetic),
                       to_string(library), cell("ResNet-50"), cell("VGG-16"), percent(median(entry.second)));
  }
  return out;
}

/// Linear layers of recent GPUs: whole pairs of n and k are held out.
std::string linear_table(const KernelData& data, const std::vector<KernelFit>& fits) {
  std::string out =
      "| GPU | arithmetic | rows | median | 90th percentile | roofline, median |\n"
      "|---|---|---:|---:|---:|---:|\n";
  for (const KernelFit& fit : fits) {
    if (fit.key.kind != KernelClass::gemm || !std::ranges::any_of(fit.rows, [&](std::size_t row) {
          return data.kernels[row].where.find("linear.csv") != std::string::npos;
        }))
      continue;
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", fit.key.model, arithmetic_text(fit.key.arithmetic),
                    fit.rows.size(), percent(fit.residuals.median_abs), percent(fit.residuals.p90_abs),
                    percent(fit.roofline.median_abs));
  }
  return out;
}

/// How far bursts are off at the power limit, what was fitted there, and who lent it where nothing was
/// measured.
std::string power_limit_table(const std::vector<KernelFit>& fits) {
  std::string out =
      "| GPU | arithmetic | rows | bursts, bias | bursts, median error | fitted, median error "
      "| share of the peak | share of the limit for traffic at the pin rate | lent by |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---|\n";
  for (const KernelFit& fit : fits) {
    const KernelFit::PowerLimit& limit = fit.power_limit;
    if (!limit.known()) continue;
    std::string lenders;
    for (const std::string& model : limit.lenders) lenders += (lenders.empty() ? "" : ", ") + model;
    const auto share = [](double x) {
      return fmt::format("{:.2f}", x);
    };
    const std::string measured =
        limit.rows == 0 ? " | | "
                        : fmt::format("{:+.0f} | {} | {}", 100 * std::expm1(-limit.bursts.quantiles.at(2)),
                                      percent(limit.bursts.median_abs), percent(limit.fitted.median_abs));
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", fit.key.model,
                       arithmetic_text(fit.key.arithmetic), limit.rows, measured,
                       share(fit.parameters[KernelParameter::power_fraction]),
                       share(fit.parameters.traffic_power), lenders);
  }
  return out;
}

/// Products of many small matrices, of which attention is made: the part of each fit's rows that has a count.
std::string attention_table(const KernelData& data, const std::vector<KernelFit>& fits) {
  std::string out =
      "| GPU | arithmetic | library | shapes | batched products | other products |\n"
      "|---|---|---|---:|---:|---:|\n";
  for (const KernelFit& fit : fits) {
    if (fit.key.kind != KernelClass::gemm) continue;
    std::vector<double> batched, roofline, others;
    for (std::size_t i = 0; i < fit.rows.size(); ++i) {
      const MeasuredKernel& k = data.kernels[fit.rows[i]];
      const double error = std::abs(k.seconds / fit.held_out[i] - 1);
      if (k.call.matrix.count == 1) {
        others.push_back(error);
        continue;
      }
      batched.push_back(error);
      roofline.push_back(std::abs(k.seconds / roofline_seconds(k.call, data.devices[k.device].rates) - 1));
    }
    if (batched.empty() || others.empty()) continue;
    out += fmt::format("| {} | {} | {} | {} | {} ({}) | {} |\n", fit.key.model,
                       arithmetic_text(fit.key.arithmetic), to_string(fit.key.library), batched.size(),
                       percent(median(batched)), percent(median(roofline)), percent(median(others)));
  }
  return out;
}

/// Attention in one kernel and layers of experts in one call, fitted.
std::string fused_table(const std::vector<KernelFit>& fits) {
  std::string out =
      "| GPU | kernel and pass | rows | held out (roofline) |\n"
      "|---|---|---:|---:|\n";
  for (const KernelFit& fit : fits) {
    if (!needs_matrix_units(fit.key.kind)) continue;
    const bool experts = fit.key.kind == KernelClass::experts;
    const std::string arithmetic = experts ? ", " + std::string{arithmetic_text(fit.key.arithmetic)} : "";
    out += fmt::format("| {} | {}{} | {} | {} ({}) |\n", fit.key.model, to_string(fit.key.kind), arithmetic,
                       fit.rows.size(), percent(fit.residuals.median_abs), percent(fit.roofline.median_abs));
  }
  return out;
}

double predicted_unfused(const KernelData& data, const MeasuredAttention& m) {
  Operator op;
  op.family = OperatorFamily::attention;
  op.shape.seq = std::llround(m.shape.m);
  op.shape.kv_seq = std::llround(m.shape.n);
  op.shape.head_dim = std::llround(m.shape.k);
  op.shape.heads = std::llround(m.shape.count);
  op.shape.causal = m.causal;
  const GpuCostModel gpu = GpuCostModel::create(data.devices[m.device].rates);
  return gpu.cost(op, m.backward ? Pass::data_gradient : Pass::forward, 1, Precision::fp16).time.base();
}

/// Attention made of products and a softmax, which nothing was fitted on, by the shipped fits.
std::string unfused_table(const KernelData& data) {
  std::map<std::tuple<std::string, bool, bool>, std::vector<double>> errors;
  for (const MeasuredAttention& m : data.unfused_attention)
    errors[{data.devices[m.device].name, m.backward, m.causal}].push_back(
        predicted_unfused(data, m) / m.seconds - 1);
  std::string out =
      "| GPU | pass | mask | shapes | median error | signed |\n"
      "|---|---|---|---:|---:|---:|\n";
  for (const auto& [key, signed_errors] : errors) {
    const auto& [device, backward, causal] = key;
    std::vector<double> sizes;
    for (const double e : signed_errors) sizes.push_back(std::abs(e));
    out += fmt::format("| {} | {} | {} | {} | {} | {:+.0f} |\n", device, backward ? "backward" : "forward",
                       causal ? "causal" : "none", sizes.size(), percent(median(sizes)),
                       100 * median(signed_errors));
  }
  return out;
}

std::string borrowed_table(const std::vector<BorrowedError>& borrowed) {
  std::string out =
      "| architectures apart | library generations apart | pairs of fits | median error | shared shift, rms "
      "|\n"
      "|---:|---:|---:|---:|---:|\n";
  for (const BorrowedError& e : borrowed)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", e.architecture_steps, e.library_steps, e.pairs,
                       percent(e.median_abs), percent(e.shift));
  return out;
}

std::string borrowed_convolutions_table(const std::vector<BorrowedConvolutions>& groups) {
  std::string out =
      "| arithmetic | library | borrower | pairs of fits | as they are | with products |\n"
      "|---|---|---|---:|---:|---:|\n";
  for (const BorrowedConvolutions& g : groups)
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", arithmetic_text(g.arithmetic), to_string(g.library),
                    g.power_limited ? "held back by its power limit" : "at its boost clock", g.pairs,
                    percent(g.as_they_are), percent(g.with_products));
  return out;
}

std::string borrowed_sums_table(const std::vector<BorrowedSums>& networks) {
  std::string out =
      "| architectures apart | fits of GPUs | sums | rms | with fits of their own | left for borrowing | "
      "stated |\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const BorrowedSums& b : networks)
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", b.architecture_steps, b.gpus, b.sums,
                    percent(b.log_rms), percent(b.own_log_rms),
                    percent(std::sqrt(std::max(0.0, b.log_rms * b.log_rms - b.own_log_rms * b.own_log_rms))),
                    percent(b.borrowed_sigma));
  return out;
}

}  // namespace

std::string kernel_accuracy_markdown(const KernelData& data, const std::vector<KernelFit>& fits,
                                     const std::vector<NetworkSum>& sums,
                                     const std::vector<BorrowedError>& borrowed,
                                     const std::vector<BorrowedConvolutions>& convolutions,
                                     const std::vector<BorrowedSums>& borrowed_networks) {
  return fmt::format(
      "## Kernels\n\n"
      "This section is what `rackcast calibrate accuracy` prints. Each cell is the median error, in percent, "
      "on shapes that\n"
      "the fit did not see (five-fold cross-validation by shape) and, in brackets, that of the plain "
      "roofline: the larger of\n"
      "arithmetic at the peak rate and least traffic at the pin rate. The measurements and their licences "
      "are in\n"
      "calibrate/data.\n\n{}\n"
      "### Linear layers of recent GPUs\n\n"
      "Products of AIConfigurator in percent, where whole pairs of n and k were held out. Times in fp8 and "
      "fp4 "
      "include the\n"
      "conversion of the input, which is fitted beside the product. The backends of the source differ by 4 "
      "to "
      "6 % in 16 bits, and\n"
      "by 8 to 19 % in 8 bits:\n\n{}\n"
      "### Products at the power limit\n\n"
      "Products that AIConfigurator repeated until the board drew its limit, in percent; a negative bias is "
      "a "
      "time that is too\n"
      "short. Bursts of milliseconds are over before the board regulates its power, so the limit is fitted "
      "on "
      "these, or lent by\n"
      "siblings:\n\n{}\n"
      "### Attention\n\n"
      "Scores and their use are products of many small matrices, between them a softmax (column above). How "
      "the fits of\n"
      "products do on those of NeuSight, on held-out shapes and with the roofline in brackets:\n\n{}\n"
      "Whole attention in 16 bits, made of such products, a softmax and maps, which no fit has used:\n\n{}\n"
      "In one kernel (FlashAttention and FlashAttention-2), fitted:\n\n{}\n"
      "### Sums over a network's convolutions\n\n"
      "Forward and both gradients of the layers that DeepBench measured, each as often as the network runs "
      "it, predicted by\n"
      "fits that did not see them; error in percent, at batch 8 and 16. The groups are listed in\n"
      "calibrate/data/deepbench/networks.csv.\n\n{}\n"
      "### Borrowed parameters\n\n"
      "Matrix kernels of one GPU predicted with the parameters of another, its own rates kept: what a GPU "
      "that nobody\n"
      "measured has to expect. The shift that all kernels of a pair share sets how much wider its intervals "
      "are.\n\n{}\n"
      "Convolutions across architectures take three more numbers from what was measured of the borrower, its "
      "products: the lender's\n"
      "shares of the peak, the memory and the cache count in proportion to those that both reach in products "
      "(mean over the pairs of\n"
      "their median errors):\n\n{}\n"
      "Sums over networks, as above, on a GPU whose fits, or those of its whole architecture, are set aside: "
      "classes differ from\n"
      "each other, and a network averages a part of that out. In percent of ln; boards held back by their "
      "power limit and GPUs that\n"
      "alone were measured with their library are left out:\n\n{}",
      kernel_table(fits), linear_table(data, fits), power_limit_table(fits), attention_table(data, fits),
      unfused_table(data), fused_table(fits), sums_table(sums), borrowed_table(borrowed),
      borrowed_convolutions_table(convolutions), borrowed_sums_table(borrowed_networks));
}

}  // namespace rackcast
