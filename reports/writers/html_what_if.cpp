#include "reports/writers/html_what_if.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/blocks/display_text.hpp"
#include "reports/blocks/html_text.hpp"
#include "reports/writers/html_table.hpp"

namespace rackcast::reports {
namespace {

using Data = nlohmann::ordered_json;

std::string data_json(const WhatIf& what_if) {
  Data paths = Data::array(), counts = Data::array(), outcomes = Data::array();
  for (const auto& input : what_if.inputs) {
    paths.push_back(single_line(input.path));
    counts.push_back(input.values.size());
  }
  for (const auto& one : what_if.outcomes) {
    Data facts = Data::array();
    for (const std::string& fact : one.facts)
      if (!fact.empty()) facts.push_back(single_line(fact));
    outcomes.push_back({{"answer", single_line(one.answer)},
                        {"facts", std::move(facts)},
                        {"tone", std::string{tone_class(one.tone)}}});
  }
  const Data data{
      {"paths", std::move(paths)}, {"counts", std::move(counts)}, {"outcomes", std::move(outcomes)}};
  return json_in_html(data.dump(-1, ' ', false, Data::error_handler_t::replace));
}

/// A choice among the computed values, and one that stands for all others.
std::string choice(const WhatIf::Input& input, std::size_t number) {
  std::string out = fmt::format("<div><label for=\"what-if-{0}\">{1}</label><select id=\"what-if-{0}\">",
                                number, html_escape(input.label));
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    const std::string& name = input.names.empty() ? input.values[i] : input.names[i];
    out += fmt::format("<option value=\"{}\"{}>{}{}</option>", i, i == input.asked ? " selected" : "",
                       html_escape(name), i == input.asked ? " (as asked)" : "");
  }
  return out + "<option value=\"other\">another value</option></select></div>\n";
}

}  // namespace

std::string html_what_if(const WhatIf& what_if) {
  std::size_t combinations = 1, as_asked = 0;
  for (const auto& input : what_if.inputs) {
    combinations *= input.values.size();
    as_asked = as_asked * input.values.size() + input.asked;
  }
  if (what_if.inputs.empty() || combinations != what_if.outcomes.size() || as_asked >= combinations)
    return {};
  std::string out = fmt::format("<p>The engine answered {} settings, each with all limits. Choose one.</p>\n",
                                what_if.outcomes.size());
  out += "<form class=\"what-if\" id=\"what-if-form\">\n<div class=\"choices\">\n";
  for (std::size_t i = 0; i < what_if.inputs.size(); ++i) out += choice(what_if.inputs[i], i);
  const WhatIf::Outcome& now = what_if.outcomes[as_asked];
  out += fmt::format(
      "</div>\n<button type=\"reset\">As asked</button>\n"
      "<div id=\"what-if-outcome\" class=\"{}\" aria-live=\"polite\">\n"
      "<p class=\"answer\" id=\"what-if-answer\">{}</p>\n<ul id=\"what-if-facts\" class=\"remarks\">",
      tone_class(now.tone), html_escape(now.answer));
  for (const std::string& fact : now.facts)
    if (!fact.empty()) out += fmt::format("<li>{}</li>", html_escape(fact));
  out +=
      "</ul>\n</div>\n</form>\n<noscript><p class=\"note caution\">The choices need "
      "scripts.</p></noscript>\n";
  return out + fmt::format("<script type=\"application/json\" id=\"what-if-outcomes\">{}</script>\n",
                           data_json(what_if));
}

}  // namespace rackcast::reports
