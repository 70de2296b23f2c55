#include "tests/laws/answer_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>

#include "scenarios/answer/planner.hpp"
#include "scenarios/document/result.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/serving/service_result.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "sim/json/reader.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kRounding = 1e-6;
constexpr const char* kFile = "drawn.json";

double seconds_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string result_text(const Json& text, const Catalog& catalog) {
  if (serves(text)) {
    const Scenario scenario = read_serving_scenario(text, kFile);
    return to_json_text(scenario.cluster.nodes_given ? simulate_service(scenario, catalog)
                                                     : size_service(scenario, catalog));
  }
  const Scenario scenario = read_scenario(text, kFile);
  return to_json_text(scenario.goal ? size(scenario, catalog) : simulate(scenario, catalog));
}

DrawnAnswer answer_to_text(const std::function<Json()>& text, const Catalog& catalog) {
  DrawnAnswer out;
  const double begin = seconds_now();
  try {
    out.text = result_text(text(), catalog);
    out.document = json::parse(out.text);
    out.end = DrawnAnswer::End::answered;
  } catch (const Error& e) {
    out.message = e.message();
    if (e.kind() != ErrorKind::internal) out.end = DrawnAnswer::End::refused;
  } catch (const std::exception& e) {
    out.message = e.what();
  }
  out.seconds = seconds_now() - begin;
  return out;
}

/// Shares of something whole, wherever they stand.
void check_shares(const json& value, const std::string& at, std::vector<std::string>& faults) {
  constexpr const char* shares[] = {"mfu", "hfu", "busy", "fraction", "goodput", "hit_rate"};
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      check_shares(value[i], fmt::format("{}/{}", at, i), faults);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    const bool share = std::ranges::any_of(shares, [&name = key](const char* one) { return name == one; });
    const json& figure = member.is_object() && member.contains("value") ? member["value"] : member;
    if (share && figure.is_number() && figure.get<double>() > 1 + kRounding)
      faults.push_back(fmt::format("share {}/{} is {}", at, key, figure.dump()));
    if (key != "scenario") check_shares(member, at + "/" + key, faults);
  }
}

/// What reports print with three digits as 100 %.
constexpr double kPrintedAsWhole = 1.0005;

void check_efficiency(const json& document, std::vector<std::string>& faults) {
  const auto stated = [&](const json& workload) {
    return std::ranges::any_of(document.at("warnings"), [&](const json& warning) {
      return warning.value("code", "") == "superlinear" && warning.at("workload") == workload.at("title");
    });
  };
  for (const json& workload : document.at("workloads")) {
    double most = 0;
    for (const json& point : workload.value("scaling", json::array()))
      if (point.contains("efficiency") && point["efficiency"].is_number())
        most = std::max(most, point["efficiency"].get<double>());
    if (most > kPrintedAsWhole && !stated(workload))
      faults.push_back(
          fmt::format("efficiency of {} is {} and no cause is stated", workload.value("model", ""), most));
  }
}

/// The document without what repeats the question and its places.
json comparable(const DrawnAnswer& answer) {
  json out = answer.document;
  out.erase("scenario");
  for (json& row : out["assumptions"]) row.erase("where");
  return out;
}

/// Members in the opposite order.
ordered_json reversed(const json& value) {
  if (value.is_array()) {
    ordered_json out = ordered_json::array();
    for (const json& one : value) out.push_back(reversed(one));
    return out;
  }
  if (!value.is_object()) return ordered_json::parse(value.dump());
  std::vector<std::pair<std::string, ordered_json>> members;
  for (const auto& [key, member] : value.items()) members.emplace_back(key, reversed(member));
  std::ranges::reverse(members);
  ordered_json out = ordered_json::object();
  for (auto& [key, member] : members) out[key] = std::move(member);
  return out;
}

/// Half of the members in a file that the other half extends.
DrawnAnswer answer_in_two_files(const json& scenario, std::uint64_t seed, const Catalog& catalog) {
  RandomStream random{seed, "halves"};
  json base = json::object(), over = {{"extends", "base.json"}};
  for (const auto& [key, member] : scenario.items()) {
    if (member.is_object() && random.below(2)) {
      base[key] = over[key] = json::object();
      for (const auto& [name, value] : member.items()) (random.below(2) ? base : over)[key][name] = value;
    } else {
      (random.below(2) ? base : over)[key] = member;
    }
  }
  const TemporaryFolder folder;
  std::ofstream{folder / "base.json"} << base;
  std::ofstream{folder / "over.json"} << over;
  return answer_to_text([&] { return load_scenario_text(folder / "over.json"); }, catalog);
}

void check_same(const char* law, const DrawnAnswer& one, const DrawnAnswer& other,
                std::vector<std::string>& faults) {
  if (one.end != other.end)
    return faults.push_back(
        fmt::format("{} changes the answer: \"{}\", \"{}\"", law, one.message, other.message));
  if (one.end != DrawnAnswer::End::answered) return;
  const json diff = json::diff(comparable(one), comparable(other));
  if (!diff.empty()) faults.push_back(fmt::format("{} changes the answer: {}", law, diff.front().dump()));
}

/// What a buyer compares, smaller is better: time on a given cluster, nodes of a sized one.
std::optional<double> badness(const json& scenario, const DrawnAnswer& answer) {
  if (answer.end != DrawnAnswer::End::answered) return std::nullopt;
  const json& found = answer.document.at("answer");
  if (!found.value("feasible", false)) return std::numeric_limits<double>::infinity();
  const json* performance = answer.document.contains("prediction") ? &answer.document["prediction"] : nullptr;
  const bool fastest = scenario.contains("goal") && scenario["goal"].value("objective", "") == "fastest";
  const bool sizes = scenario.contains("goal") && !fastest;
  if (scenario.contains("serving") || sizes)
    return found.at("nodes").get<double>() + found.value("spares", 0);
  if (!performance || !performance->is_object()) return std::nullopt;
  return performance->at("time_to_train_s").at("value").get<double>();
}

/// Gives a scenario more of something; false where it has nothing of the kind.
struct More {
  const char* law;
  std::function<bool(json&)> give;
};

/// "20 Gbit/s" times `factor`.
void scale(json& quantity, double factor) {
  const std::string text = quantity.get<std::string>();
  std::size_t unit = 0;
  const double number = std::stod(text, &unit);
  quantity = fmt::format("{}{}", number * factor, text.substr(unit));
}

bool scale_at(json& scenario, const json::json_pointer& place, double factor) {
  if (!scenario.contains(place)) return false;
  json& value = scenario[place];
  if (value.is_string())
    scale(value, factor);
  else
    value = value.get<double>() * factor;
  return true;
}

std::vector<More> mores() {
  using place = json::json_pointer;
  const auto scaled = [](const char* law, const char* pointer, double factor) {
    return More{law, [=](json& s) {
                  return scale_at(s, place{pointer}, factor);
                }};
  };
  return {
      scaled("faster_link", "/cluster/fabric/link_rate", 2),
      {"more_storage",
       [](json& s) {
         if (!s.contains("storage")) return false;
         s["storage"]["count"] = 2 * s["storage"].value("count", 1);
         return true;
       }},
      scaled("larger_deadline", "/goal/deadline", 2),
      {"more_nodes_allowed",
       [](json& s) {
         if (!s.contains("goal") || !s["goal"].contains("max_nodes")) return false;
         s["goal"]["max_nodes"] = 2 * s["goal"]["max_nodes"].get<int>();
         return true;
       }},
      scaled("more_power", "/site/power/feed", 2),
      scaled("more_money", "/site/prices/budget", 2),
      scaled("more_floor", "/site/floor/area", 2),
      scaled("longer_latency", "/serving/latency", 2),
      scaled("longer_first_token", "/serving/first_token", 2),
      scaled("less_load", "/serving/rate", 0.5),
      scaled("rarer_failures", "/failures/node_mtbf", 2),
      scaled("shorter_checkpoints", "/failures/checkpoint_stall", 0.5),
      {"no_stragglers",
       [](json& s) {
         return s["cluster"].erase("stragglers") > 0;
       }},
      {"less_oversubscription",
       [](json& s) {
         if (!s["cluster"].contains("fabric") || s["cluster"]["fabric"].value("oversubscription", 1) < 2)
           return false;
         s["cluster"]["fabric"]["oversubscription"] = 1;
         return true;
       }},
      {"less_data",
       [](json& s) {
         if (!s.contains("data") || !s["data"].contains("samples")) return false;
         s["data"]["samples"] = (s["data"]["samples"].get<std::int64_t>() + 1) / 2;
         return true;
       }},
      {"fewer_epochs",
       [](json& s) {
         if (!s.contains("workloads") || !s["workloads"][0].contains("epochs")) return false;
         s["workloads"][0]["epochs"] = s["workloads"][0]["epochs"].get<double>() / 2;
         return true;
       }},
      {"wider_search",
       [](json& s) {
         if (!s.contains("search") || !s["search"].contains("oversubscription")) return false;
         s["search"]["oversubscription"].push_back(8);
         return true;
       }},
  };
}

/// Whether static routes are why the changed scenario is worse: what is new sends flows of its own, which may
/// fall on the way of others. Then it is not worse with adaptive routes, and it is worse by less than the one
/// percent from which on answers warn of collisions, or warns.
bool is_collision(const json& scenario, const json& changed, double rise, const DrawnAnswer& worse,
                  const Catalog& catalog) {
  const auto spread = [&](json asked) {
    asked["cluster"]["fabric"]["routing"] = "adaptive";
    const DrawnAnswer answer = answer_to(asked, catalog);
    return badness(asked, answer);
  };
  const auto before = spread(scenario), after = spread(changed);
  return before && after && *after <= *before * (1 + kRounding) &&
         (rise < 1.01 || worse.text.find("\"collisions\"") != std::string::npos);
}

void check_more(const json& scenario, const DrawnAnswer& answer, std::uint64_t seed, const Catalog& catalog,
                std::vector<std::string>& faults) {
  std::vector<std::pair<const char*, json>> possible;
  for (const More& more : mores())
    if (json changed = scenario; more.give(changed)) possible.emplace_back(more.law, std::move(changed));
  if (possible.empty()) return;
  RandomStream random{seed, "more"};
  const auto& [law, changed] = possible[random.below(possible.size())];
  const DrawnAnswer better = answer_to(changed, catalog);
  if (better.end == DrawnAnswer::End::failed) faults.push_back(fmt::format("failure {}", better.message));
  const auto before = badness(scenario, answer), after = badness(scenario, better);
  if (!before || !after) return;
  if (*after > *before * (1 + kRounding) &&
      !is_collision(scenario, changed, *after / *before, better, catalog))
    faults.push_back(
        fmt::format("{} makes it worse: {} becomes {} in {}", law, *before, *after, changed.dump()));
}

}  // namespace

DrawnAnswer answer_to(const ordered_json& scenario, const Catalog& catalog) {
  return answer_to_text([&] { return parse_json(scenario.dump(1), kFile); }, catalog);
}

std::vector<std::string> answer_faults(const json& scenario, const DrawnAnswer& answer, std::uint64_t seed,
                                       const Catalog& catalog) {
  std::vector<std::string> faults;
  if (answer.end == DrawnAnswer::End::failed) faults.push_back(fmt::format("failure {}", answer.message));
  if (answer.end != DrawnAnswer::End::answered) return faults;
  for (const std::string& fault : document_faults(answer.text)) faults.push_back("number " + fault);
  check_shares(answer.document, "", faults);
  check_efficiency(answer.document, faults);
  try {
    const auto read = doc::read_document<doc::Result>(parse_json(answer.text, "result"));
    if (doc::document_text(read) != answer.text) faults.push_back("round_trip changes the result document");
  } catch (const std::exception& e) {
    faults.push_back(fmt::format("round_trip {}", e.what()));
  }
  const std::uint64_t form = seed % 8;
  if (form == 0)
    check_same("key_order", answer, answer_to(reversed(scenario), catalog), faults);
  else if (form == 1)
    check_same("extends", answer, answer_in_two_files(scenario, seed, catalog), faults);
  else
    check_more(scenario, answer, seed, catalog, faults);
  return faults;
}

}  // namespace rackcast
