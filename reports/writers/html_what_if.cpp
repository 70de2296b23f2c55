#include "reports/writers/html_what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/blocks/display_text.hpp"
#include "reports/blocks/format.hpp"
#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

using Data = nlohmann::ordered_json;

constexpr double seconds_in_day = 86400;

std::string data_json(const WhatIf& what_if) {
  Data workloads = Data::array();
  for (const auto& workload : what_if.workloads) {
    Data points = Data::array();
    for (const auto& p : workload.points) {
      points.push_back(Data::array({p.nodes, p.gpus, p.rate, p.low, p.high}));
    }
    workloads.push_back({{"title", single_line(workload.title)},
                         {"samples", workload.samples},
                         {"epochs", workload.epochs},
                         {"points", std::move(points)}});
  }
  Data data{{"node", single_line(what_if.node_name)},
            {"deadline", what_if.deadline_s},
            {"nodes", what_if.nodes},
            {"spares", what_if.spares},
            {"workloads", std::move(workloads)}};
  if (what_if.energy) {
    data["energy"] = {{"kwh", what_if.energy->kwh_per_year},
                      {"price", what_if.energy->usd_per_kwh},
                      {"other", what_if.energy->other_usd_per_year}};
  }
  return json_in_html(data.dump(-1, ' ', false, Data::error_handler_t::replace));
}

/// A slider over half to twice of what was asked: notch k is the factor 2^(k/10).
std::string slider(std::string_view id, std::string_view label, const std::string& as_asked) {
  return fmt::format(
      "<div><label for=\"what-if-{0}\">{1}</label>"
      "<input type=\"range\" id=\"what-if-{0}\" min=\"-10\" max=\"10\" step=\"1\" value=\"0\">"
      "<output for=\"what-if-{0}\" id=\"what-if-{0}-value\">{2}</output></div>\n",
      id, label, html_escape(as_asked));
}

}  // namespace

std::string html_what_if(const WhatIf& what_if) {
  const bool enough =
      std::ranges::all_of(what_if.workloads, [](const auto& w) { return w.points.size() >= 2; });
  if (what_if.workloads.empty() || !enough || what_if.deadline_s <= 0) {
    return {};
  }
  std::string out = "<form class=\"what-if\" id=\"what-if\">\n";
  out += slider("deadline", "Deadline", number_text(what_if.deadline_s / seconds_in_day) + " days");
  out += slider("epochs", "Epochs", "as asked");
  out += slider("data", "Data", "as asked");
  out += slider("gpus", "GPUs", "as needed");
  if (what_if.energy)
    out += slider("price", "Power price", number_text(what_if.energy->usd_per_kwh) + " USD/kWh");
  out += "<button type=\"reset\">As asked</button>\n";
  out += fmt::format(
      "<p class=\"answer\" id=\"what-if-answer\" aria-live=\"polite\">{} × {}</p>\n",
      nodes_text(static_cast<std::int64_t>(what_if.nodes), static_cast<std::int64_t>(what_if.spares)),
      html_escape(what_if.node_name));
  out += "<p id=\"what-if-quality\"></p>\n<ul id=\"what-if-workloads\" class=\"remarks\"></ul>\n</form>\n";
  out += "<noscript><p class=\"note caution\">The sliders need scripts.</p></noscript>\n";
  return out + fmt::format("<script type=\"application/json\" id=\"what-if-numbers\">{}</script>\n",
                           data_json(what_if));
}

}  // namespace rackcast::reports
