/// What an answer takes for granted: the name of each assumption, and its value.
#include <fmt/format.h>

#include "reports/blocks/format.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {

namespace {

using doc::Reason;

/// ", of 2019" behind a figure of the catalogue.
std::string of_year(const Reason& r) {
  return r.has("year") ? fmt::format(", of {:.0f}", r.number("year")) : std::string{", of no stated year"};
}

std::string yearly_fraction(const Reason& r) {
  return fmt::format("{:g} % a year{}", 100 * r.number("fraction"), of_year(r));
}

constexpr RowSentence rows[] = {
    // Hardware.
    {"link_rate",
     [](const Reason& r) -> std::string {
       return fmt::format("{}: {}{} per direction, achievable", r.text("node"),
                          r.has("ports") ? counted(r, "ports", "port") + ": " : "", r.text("link"));
     },
     [](const Reason& r) -> std::string {
       return to_text(Bandwidth{r.number("rate_bytes_per_s")});
     }},
    {"node_cores", [](const Reason& r) -> std::string { return r.text("node") + ": CPU cores"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:g}", r.number("cores"));
     }},
    {"node_units", [](const Reason& r) -> std::string { return r.text("node") + ": rack units"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:g}", r.number("units"));
     }},
    {"node_power", [](const Reason& r) -> std::string { return r.text("node") + ": rated power"; },
     [](const Reason& r) -> std::string {
       return to_text(Power{r.number("rated_w")});
     }},
    {"node_memory",
     [](const Reason& r) -> std::string {
       return r.text("node") + ": DRAM, of which the page cache takes what the job leaves";
     },
     [](const Reason& r) -> std::string {
       return to_text(Bytes{r.number("memory_bytes")});
     }},
    {"ssd_cache", [](const Reason& r) -> std::string { return r.text("node") + ": local SSD cache"; },
     [](const Reason& r) -> std::string {
       return to_text(Bytes{r.number("ssd_bytes")});
     }},
    {"ssd_read", [](const Reason& r) -> std::string { return r.text("node") + ": local SSD read rate"; },
     [](const Reason& r) -> std::string {
       return to_text(Bandwidth{r.number("read_bytes_per_s")});
     }},
    {"fp32_peak", [](const Reason& r) -> std::string { return r.text("gpu") + ": fp32 peak"; },
     [](const Reason& r) -> std::string {
       return to_text(FlopRate{r.number("peak_flop_per_s")});
     }},
    {"tensor_peak", [](const Reason& r) -> std::string { return r.text("gpu") + ": tensor-core peak"; },
     [](const Reason& r) -> std::string {
       return to_text(FlopRate{r.number("peak_flop_per_s")});
     }},
    {"memory_bandwidth", [](const Reason& r) -> std::string { return r.text("gpu") + ": memory bandwidth"; },
     [](const Reason& r) -> std::string {
       return to_text(Bandwidth{r.number("memory_bytes_per_s")});
     }},
    {"kernel_efficiencies",
     [](const Reason& r) -> std::string { return r.text("gpu") + ": kernel efficiencies"; },
     [](const Reason& r) -> std::string {
       return r.has("donor") ? "borrowed from " + r.text("donor")
                             : "fitted on measured kernels of its architecture";
     }},
    {"own_kernels", [](const Reason& r) -> std::string { return "Kernels of " + r.text("gpu"); },
     [](const Reason&) -> std::string {
       return "the scenario's own measurements";
     }},
    {"own_collectives", [](const Reason& r) -> std::string { return "Collectives of " + r.text("node"); },
     [](const Reason& r) -> std::string {
       return fmt::format("latency x {:.3g}, load of links x {:.3g}", r.number("latency"), r.number("load"));
     },
     [](const Reason& r) -> std::string {
       return fmt::format("all-reduce of {:g} GPUs on {:g} nodes, measured", r.number("gpus"),
                          r.number("nodes"));
     }},
    {"recorded_step",
     [](const Reason& r) -> std::string { return r.text("workload") + ": the recorded step"; },
     [](const Reason& r) -> std::string {
       return fmt::format(
           "{} of {}, recorded on {}{}", counted(r, "files", "file"), counted(r, "ranks", "rank"),
           r.text("gpu"),
           r.number("scaled") > 0 ? "; kernels scaled by what the models of both GPUs say" : "");
     }},
    {"slow_nodes",
     [](const Reason& r) -> std::string {
       return fmt::format("{:g} slow {}", r.number("nodes"), r.number("nodes") == 1 ? "node" : "nodes");
     },
     [](const Reason& r) -> std::string {
       return fmt::format(
           "compute x {:g}, network x {:g}, {}", r.number("compute"), r.number("network"),
           r.has("epochs") ? fmt::format("the last {:g} epochs", r.number("epochs")) : "always");
     }},
    {"array_read", [](const Reason& r) -> std::string { return r.text("array") + ": read rate of one"; },
     [](const Reason& r) -> std::string {
       return to_text(Bandwidth{r.number("read_bytes_per_s")});
     }},
    {"array_capacity", [](const Reason& r) -> std::string { return r.text("array") + ": capacity of one"; },
     [](const Reason& r) -> std::string {
       return to_text(Bytes{r.number("capacity_bytes")});
     }},
    // Training.
    {"operators", [](const Reason& r) -> std::string { return r.text("workload") + ": operators"; },
     [](const Reason& r) -> std::string {
       return to_text(Flop{r.number("forward_flop")}) + " forward per sample";
     }},
    {"epochs", [](const Reason& r) -> std::string { return r.text("workload") + ": epochs"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:g}", r.number("epochs"));
     }},
    {"global_batch", [](const Reason& r) -> std::string { return r.text("workload") + ": global batch"; },
     [](const Reason& r) -> std::string {
       return r.has("samples") ? grouped(r.number("samples")) + " samples"
                               : grouped(r.number_if("tokens").value_or(0)) + " tokens";
     }},
    {"batch_per_gpu", [](const Reason& r) -> std::string { return r.text("workload") + ": batch per GPU"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:g}", r.number("samples"));
     }},
    {"training_precision", [](const Reason& r) -> std::string { return r.text("workload") + ": precision"; },
     [](const Reason& r) -> std::string {
       return r.text("precision");
     }},
    {"tables_copied", [](const Reason& r) -> std::string { return r.text("workload") + ": large tables"; },
     [](const Reason&) -> std::string {
       return "whole on every GPU, gradients reduced like others";
     }},
    {"tables_split", [](const Reason& r) -> std::string { return r.text("workload") + ": large tables"; },
     [](const Reason& r) -> std::string {
       return to_text(Bytes{r.number("tables_bytes")}) +
              " split over the GPUs, vectors exchanged, sparse gradients";
     }},
    {"epochs_by_batch",
     [](const Reason& r) -> std::string { return r.text("workload") + ": convergence law (weakest link)"; },
     [](const Reason& r) -> std::string {
       return fmt::format("samples x (1 + B/{0:g}) / (1 + {1:g}/{0:g}), B the global batch{2}",
                          r.number("critical_batch"), r.number("reference_batch"),
                          r.has("staleness_penalty") ? fmt::format("; x (1 + {:g} x steps of staleness)",
                                                                   r.number("staleness_penalty"))
                                                     : "");
     }},
    {"framework_profile", [](const Reason&) -> std::string { return "Framework overheads"; },
     [](const Reason& r) -> std::string { return r.text("profile"); },
     [](const Reason& r) -> std::string {
       return r.number("names_none") > 0
                  ? "the scenario names none, and trainers like it split networks over GPUs"
                  : "";
     }},
    {"network_of_framework", [](const Reason& r) -> std::string { return r.text("name") + ": network"; },
     [](const Reason& r) -> std::string { return r.text("name"); },
     [](const Reason& r) -> std::string {
       return "the framework's own scripts run " + r.text("network") + " under this name";
     }},
    {"gradient_exchange",
     [](const Reason& r) -> std::string { return r.text("workload") + ": exchange of gradients"; },
     [](const Reason& r) -> std::string {
       return r.has("between_nodes")
                  ? fmt::format("{} in a node, {} between nodes", r.text("exchange"), r.text("between_nodes"))
                  : r.text("exchange");
     }},
    {"image_decoding",
     [](const Reason&) -> std::string { return "Image decoding and augmentation per CPU core"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:g} samples/s", r.number("samples_per_s"));
     }},
    {"record_decoding",
     [](const Reason& r) -> std::string {
       return fmt::format("Decoding of {} per CPU core", r.text("record"));
     },
     [](const Reason& r) -> std::string {
       return fmt::format("{:g} samples/s at {:g} {}", r.number("samples_per_s"), r.number("reference"),
                          r.text("of"));
     }},
    {"reading", [](const Reason&) -> std::string { return "Reading order and sharding"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{}, {} parts, {} records", r.text("order"), r.text("sharding"), r.text("records"));
     }},
    // Failures.
    {"node_mtbf",
     [](const Reason& r) -> std::string {
       return r.has("node") ? r.text("node") + ": time between failures" : "Time between failures of a node";
     },
     [](const Reason& r) -> std::string {
       return to_text(Duration{r.number("time_s")});
     }},
    {"detection", [](const Reason&) -> std::string { return "Detection of a failure"; },
     [](const Reason& r) -> std::string {
       return to_text(Duration{r.number("time_s")});
     }},
    {"restart", [](const Reason&) -> std::string { return "Restart after a failure"; },
     [](const Reason& r) -> std::string {
       return to_text(Duration{r.number("time_s")});
     }},
    {"repair", [](const Reason&) -> std::string { return "Repair of a node"; },
     [](const Reason& r) -> std::string {
       return to_text(Duration{r.number("time_s")});
     }},
    // Serving.
    {"serving_precision", [](const Reason&) -> std::string { return "precision of serving"; },
     [](const Reason& r) -> std::string {
       return r.text("precision");
     }},
    {"daily_load", [](const Reason&) -> std::string { return "load over the day"; },
     [](const Reason& r) -> std::string {
       return fmt::format("busiest hour {:.3g} times the mean", r.number("peak"));
     }},
    {"random_arrivals", [](const Reason&) -> std::string { return "requests of one GPU"; },
     [](const Reason&) -> std::string {
       return "arrive at random (Poisson)";
     }},
    {"continuous_batches", [](const Reason&) -> std::string { return "batches"; },
     [](const Reason& r) -> std::string {
       return fmt::format("continuous, at most {:g} requests in flight in a copy", r.number("in_flight"));
     }},
    {"waiting_batches", [](const Reason&) -> std::string { return "batches"; },
     [](const Reason& r) -> std::string {
       return fmt::format("what waits when the GPU is free, at most {:g}", r.number("batch"));
     }},
    {"equal_lengths", [](const Reason&) -> std::string { return "lengths of prompts and answers"; },
     [](const Reason&) -> std::string {
       return "all of the mean length";
     }},
    {"speculation", [](const Reason&) -> std::string { return "speculative decoding"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{} guessed, {:.0f} % right: {:.2f} tokens a pass", counted(r, "drafts", "token"),
                          100 * r.number("acceptance"), r.number("tokens_per_pass"));
     }},
    {"beside_queue", [](const Reason&) -> std::string { return "requests beside the queue"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{} between client and server, and {:g} passes of waiting",
                          to_text(Duration{r.number("way_s")}), r.number("passes"));
     }},
    // Site.
    {"pue",
     [](const Reason& r) -> std::string {
       return "PUE, " + r.text("plant") +
              (r.has("climate") ? " in climate " + r.text("climate") : std::string{});
     },
     [](const Reason& r) -> std::string {
       return fmt::format("{:.3g}", r.number("pue"));
     }},
    {"cooling_limit",
     [](const Reason& r) -> std::string { return "power of a rack, cooled by " + r.text("cooling"); },
     [](const Reason& r) -> std::string {
       return to_text(Power{r.number("rack_w")});
     }},
    {"typical_as_nameplate",
     [](const Reason& r) -> std::string { return r.text("item") + ": nameplate power"; },
     [](const Reason& r) -> std::string {
       return to_text(Power{r.number("power_w")}) + ", its typical power: no nameplate is known";
     }},
    {"carbon", [](const Reason& r) -> std::string { return "carbon intensity, " + r.text("region"); },
     [](const Reason& r) -> std::string {
       return fmt::format("{:.4g} g/kWh{}", r.number("g_co2_per_kwh"), of_year(r));
     }},
    {"gpu_power",
     [](const Reason& r) -> std::string {
       return (r.number("borrowed") > 0 ? "GPU power, borrowed from " : "GPU power, measured on ") +
              measured_gpus_text(r.text("measured"));
     },
     [](const Reason& r) -> std::string {
       return to_text(Power{r.number("power_w")}) + " with kernels running";
     }},
    {"electricity",
     [](const Reason& r) -> std::string { return "price of electricity, " + r.text("tariff"); },
     [](const Reason& r) -> std::string {
       return fmt::format("{:.4g} USD/kWh{}", r.number("usd_per_kwh"), of_year(r));
     }},
    {"interest", [](const Reason&) -> std::string { return "interest"; },
     [](const Reason& r) -> std::string {
       return yearly_fraction(r);
     }},
    {"support", [](const Reason&) -> std::string { return "support"; },
     [](const Reason& r) -> std::string {
       return yearly_fraction(r);
     }},
    {"depreciation", [](const Reason&) -> std::string { return "time until the purchase is written off"; },
     [](const Reason& r) -> std::string {
       return to_text(Duration{r.number("time_s")}) + of_year(r);
     }},
    {"instance_rent", [](const Reason& r) -> std::string { return "rent of " + r.text("instance"); },
     [](const Reason& r) -> std::string {
       return fmt::format("{:.4g} USD/h", r.number("usd_per_hour"));
     }},
    {"staff", [](const Reason&) -> std::string { return "staff"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:.3g} people at a wage of {} a year{}, which is {:.0f} % of what they cost",
                          r.number("people"), to_text(Money{r.number("wage_usd_per_year")}), of_year(r),
                          100 * r.number("share"));
     }},
    {"hall_space", [](const Reason&) -> std::string { return "space in a hall"; },
     [](const Reason& r) -> std::string {
       return fmt::format("{:.4g} USD per kW and month", r.number("usd_per_kw_month"));
     }},
};

}  // namespace

std::string measured_gpus_text(const std::string& device) {
  return device == "pooled" ? "all measured GPUs" : device;
}

std::span<const RowSentence> assumption_rows() {
  return rows;
}

}  // namespace rackcast::reports
