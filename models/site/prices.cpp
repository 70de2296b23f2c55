#include "models/site/prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/error.hpp"
#include "sim/near_matches.hpp"
#include "topologies/catalog.hpp"

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 4> term_names{"on_demand", "reserved_1yr", "reserved_3yr", "spot_min"};

/// One entry of a list of dated records.
struct Dated {
  const Json* record = nullptr;
  std::string date;
};

/// The record nearest before the date, or else the first after it. ISO dates compare as text.
Dated nearest(const std::vector<Dated>& all, std::string_view date) {
  Dated before, after;
  for (const Dated& one : all) {
    if (one.date <= date) {
      if (before.record == nullptr || one.date >= before.date) before = one;
    } else if (after.record == nullptr || one.date < after.date) {
      after = one;
    }
  }
  return before.record != nullptr ? before : after;
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

std::string later_note(std::string_view price_date, std::string_view date) {
  return price_date > date ? fmt::format("first known price, later than {}", date) : std::string{};
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

std::string note_of(const Json& record) {
  const Json* note = record.find("note");
  return note ? note->string() : std::string{};
}

std::optional<Price> dated_price(const Catalog& catalog, std::string_view id, std::string_view date) {
  const Json& facts = catalog.find("prices", "systems").json.require("facts");
  const Json* list = facts.find(id);
  if (!list) return std::nullopt;
  const Dated found = nearest(dated(*list, "price_usd"), date);
  if (!found.record) return std::nullopt;
  const Fact fact{"price_usd", found.record->require("price_usd")};
  return Price{fact.quantity<Money>(), found.date, fact.source(),
               joined(note_of(*found.record), later_note(found.date, date)), fact.confidence()};
}

const Json& offers(const Catalog& catalog) {
  return catalog.find("prices", "cloud_instances").json.require("facts");
}

std::string term_key(RentTerms terms) {
  return fmt::format("{}_usd_per_h", to_string(terms));
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
    throw Error{fmt::format("\"{}\" is not a date", text), {}, "write year-month-day: \"2019-06-01\""};
}

std::optional<Price> price_of(const Catalog& catalog, std::string_view kind, std::string_view id,
                              std::string_view date) {
  if (kind == "nodes") {
    if (auto price = dated_price(catalog, id, date)) return price;
  }
  const CatalogEntry& entry = catalog.find(kind, id);
  for (const char* key : {"list_price_usd", "system_price_usd", "price_usd"}) {
    const Fact* fact = entry.find(key);
    if (!fact) continue;
    return Price{fact->quantity<Money>(), fact->year() ? std::to_string(*fact->year()) : std::string{},
                 fact->source(), fact->note(), fact->confidence()};
  }
  return std::nullopt;
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

RentOffer rent_offer(const Catalog& catalog, std::string_view instance, RentTerms terms,
                     std::string_view date) {
  const Json& all = offers(catalog);
  const Json* list = instance == "launch_dates_from_memory" ? nullptr : all.find(instance);
  if (!list) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : all.object()) {
      if (name != "launch_dates_from_memory") known.push_back(name);
    }
    throw Error{fmt::format("the catalogue has no cloud instance \"{}\"", instance),
                {},
                fmt::format("known: {}", fmt::join(known, ", "))};
  }
  const std::string key = term_key(terms);
  const Dated found = nearest(dated(*list, key), date);
  if (!found.record) {
    throw Error{fmt::format("the catalogue has no {} price of {}", to_string(terms), instance),
                {},
                "try \"on_demand\""};
  }
  const Json& record = *found.record;
  const Fact fact{key, record.require(key)};
  return {std::string{instance},
          record.require("gpu_id").string(),
          found.date,
          fact.source(),
          joined(note_of(record), later_note(found.date, date)),
          static_cast<int>(record.require("gpus").integer()),
          fact.quantity<MoneyRate>(),
          fact.confidence()};
}

std::optional<std::string> instance_with(const Catalog& catalog, std::string_view gpu, RentTerms terms) {
  std::optional<std::string> best;
  std::int64_t most = 0;
  for (const auto& [name, list] : offers(catalog).object()) {
    if (name == "launch_dates_from_memory") continue;
    for (const Json& record : list.array()) {
      if (!record.find(term_key(terms)) || record.require("gpu_id").string() != gpu) continue;
      const std::int64_t gpus = record.require("gpus").integer();
      if (gpus > most) {
        most = gpus;
        best = name;
      }
    }
  }
  return best;
}

}  // namespace rackcast
