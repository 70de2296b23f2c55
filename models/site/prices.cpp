#include "models/site/prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 4> term_names{"on_demand", "reserved_1yr", "reserved_3yr", "spot_min"};

/// One entry of a list of dated records.
struct Dated {
  const Json* record = nullptr;
  std::string date;
};

/// The last record at or before the date; none if all are later. ISO dates compare as text.
Dated last_before(const std::vector<Dated>& all, std::string_view date) {
  Dated before;
  for (const Dated& one : all)
    if (one.date <= date && (before.record == nullptr || one.date >= before.date)) before = one;
  return before;
}

/// The earliest date of all; empty if there is none.
std::string earliest(const std::vector<Dated>& all) {
  const auto first = std::ranges::min_element(all, {}, &Dated::date);
  return first == all.end() ? std::string{} : first->date;
}

std::vector<Dated> dated(const Json& list, std::string_view needed) {
  std::vector<Dated> out;
  for (const Json& one : list.array()) {
    if (one.find(needed) != nullptr && one.find("date") != nullptr &&
        one.require("date").kind() == JsonKind::string)
      out.push_back({&one, one.require("date").string()});
  }
  return out;
}

std::string note_of(const Json& record) {
  const Json* note = record.find("note");
  return note ? note->string() : std::string{};
}

std::vector<Dated> dated_prices(const Catalog& catalog, std::string_view kind, std::string_view id) {
  if (kind != "nodes") return {};
  const Json* list = catalog.find("prices", "systems").json.require("facts").find(id);
  return list ? dated(*list, "price_usd") : std::vector<Dated>{};
}

/// What the entry itself lists; null if nothing.
const Fact* listed_price(const CatalogEntry& entry) {
  for (const char* key : {"list_price_usd", "system_price_usd", "price_usd"})
    if (const Fact* fact = entry.find(key)) return fact;
  return nullptr;
}

/// Is the year at or before that of the date?
bool known_by(int year, std::string_view date) {
  return std::to_string(year) <= date.substr(0, 4);
}

constexpr std::string_view kLaunches = "launch_dates_from_memory";

const Json& offers(const Catalog& catalog) {
  return catalog.find("prices", "cloud_instances").json.require("facts");
}

std::string term_key(RentTerms terms) {
  return fmt::format("{}_usd_per_h", to_string(terms));
}

/// Rates of an instance on these terms: its own records, and the one of its launch.
std::vector<Dated> rates_of(const Catalog& catalog, std::string_view instance, const Json& list,
                            std::string_view key) {
  std::vector<Dated> out = dated(list, key);
  const Json* launches = offers(catalog).find(kLaunches);
  if (!launches) return out;
  for (const Json& one : launches->array()) {
    if (one.require("instance").string() != instance || !one.find(key)) continue;
    out.push_back({&one, Fact{"date", one.require("date")}.text()});
  }
  return out;
}

}  // namespace

void check_date(std::string_view text) {
  const auto digits = [&text](std::size_t from, std::size_t count) {
    int value = 0;
    for (std::size_t i = from; i < from + count; ++i) {
      if (!std::isdigit(static_cast<unsigned char>(text[i]))) return -1;
      value = 10 * value + (text[i] - '0');
    }
    return value;
  };
  const bool shape = text.size() == 10 && text[4] == '-' && text[7] == '-';
  const int year = shape ? digits(0, 4) : -1, month = shape ? digits(5, 2) : -1,
            day = shape ? digits(8, 2) : -1;
  constexpr std::array<int, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  bool good = year >= 1990 && month >= 1 && month <= 12 && day >= 1;
  if (good) good = day <= lengths.at(static_cast<std::size_t>(month - 1)) + (month == 2 && leap ? 1 : 0);
  if (!good)
    throw Error{
        fmt::format("\"{}\" is not a date from 1990 on", text), {}, "write year-month-day: \"2019-06-01\""};
}

std::optional<Price> price_of(const Catalog& catalog, std::string_view kind, std::string_view id,
                              std::string_view date) {
  if (const Dated found = last_before(dated_prices(catalog, kind, id), date); found.record) {
    const Fact fact{"price_usd", found.record->require("price_usd")};
    return Price{fact.quantity<Money>(), found.date, fact.source(), note_of(*found.record),
                 fact.confidence()};
  }
  const Fact* fact = listed_price(catalog.find(kind, id));
  if (!fact || (fact->year() && !known_by(*fact->year(), date))) return std::nullopt;
  return Price{fact->quantity<Money>(), fact->year() ? std::to_string(*fact->year()) : std::string{},
               fact->source(), fact->note(), fact->confidence()};
}

std::string why_no_price(const Catalog& catalog, std::string_view kind, std::string_view id,
                         std::string_view date) {
  std::string first = earliest(dated_prices(catalog, kind, id));
  const Fact* listed = listed_price(catalog.find(kind, id));
  if (listed && listed->year()) {
    const std::string year = std::to_string(*listed->year());
    if (first.empty() || year < first) first = year;
  }
  if (first.empty()) return "no price in the catalogue";
  return fmt::format("no price in the catalogue by {}: the first is of {}", date, first);
}

std::string_view to_string(RentTerms terms) {
  return term_names.at(static_cast<std::size_t>(terms));
}

RentTerms parse_rent_terms(std::string_view name) {
  const auto* found = std::ranges::find(term_names, name);
  if (found == term_names.end()) {
    throw Error{fmt::format("nobody rents out \"{}\"", name),
                {},
                fmt::format("one of {}", fmt::join(term_names, ", "))};
  }
  return static_cast<RentTerms>(found - term_names.begin());
}

std::optional<RentOffer> rent_offer(const Catalog& catalog, std::string_view instance, RentTerms terms,
                                    std::string_view date) {
  const Json& all = offers(catalog);
  const Json* list = instance == kLaunches ? nullptr : all.find(instance);
  if (!list) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : all.object())
      if (name != kLaunches) known.push_back(name);
    throw Error{fmt::format("the catalogue has no cloud instance \"{}\"", instance),
                {},
                fmt::format("known: {}", fmt::join(known, ", "))};
  }
  const std::string key = term_key(terms);
  const std::vector<Dated> rates = rates_of(catalog, instance, *list, key);
  if (rates.empty()) {
    throw Error{fmt::format("the catalogue has no {} price of {}", to_string(terms), instance),
                {},
                "try \"on_demand\""};
  }
  const Dated found = last_before(rates, date);
  if (!found.record) return std::nullopt;
  const Json& shape = list->array().front();  // an instance keeps its GPUs
  const Fact fact{key, found.record->require(key)};
  return RentOffer{std::string{instance},
                   shape.require("gpu_id").string(),
                   found.date,
                   fact.source(),
                   note_of(*found.record),
                   static_cast<int>(shape.require("gpus").integer()),
                   fact.quantity<MoneyRate>(),
                   fact.confidence()};
}

std::string first_rate_date(const Catalog& catalog, std::string_view instance, RentTerms terms) {
  const Json* list = offers(catalog).find(instance);
  return list ? earliest(rates_of(catalog, instance, *list, term_key(terms))) : std::string{};
}

std::optional<std::string> instance_with(const Catalog& catalog, std::string_view gpu, RentTerms terms,
                                         std::string_view date) {
  std::optional<std::string> best;
  std::int64_t most = 0;
  for (const auto& [name, list] : offers(catalog).object()) {
    if (name == kLaunches || list.array().empty()) continue;
    const Json& shape = list.array().front();
    const std::int64_t gpus = shape.require("gpus").integer();
    if (shape.require("gpu_id").string() != gpu || gpus <= most) continue;
    if (!last_before(rates_of(catalog, name, list, term_key(terms)), date).record) continue;
    most = gpus;
    best = name;
  }
  return best;
}

}  // namespace rackcast
