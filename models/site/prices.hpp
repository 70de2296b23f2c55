#pragma once
/// Prices of the catalogue at a date. Missing prices are never guessed.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/fact.hpp"

namespace rackcast {

class Catalog;

struct Price {
  Money unit{0};
  std::string date;  ///< ISO, or a year; empty: the catalogue does not say
  std::string source, note;
  Confidence confidence = Confidence::memory;
};

/// Throws Error unless `text` is a date of the calendar, "2019-06-01".
void check_date(std::string_view text);

/// The last dated price of a system at or before `date`; without one what the entry itself lists, if its year
/// is not later than the date's. Nothing if the catalogue has no price up to that date: later prices do not
/// count. `kind` is a folder of the catalogue: nodes, switches, storage, cables.
std::optional<Price> price_of(const Catalog& catalog, std::string_view kind, std::string_view id,
                              std::string_view date);

/// Why price_of() has nothing, with the first date of a price if there is one.
std::string why_no_price(const Catalog& catalog, std::string_view kind, std::string_view id,
                         std::string_view date);

enum class RentTerms { on_demand, reserved_1yr, reserved_3yr, spot_min };
std::string_view to_string(RentTerms);
RentTerms parse_rent_terms(std::string_view name);  ///< Error with the known ones

/// An instance of a cloud and what an hour of it cost.
struct RentOffer {
  std::string instance, gpu, date, source, note;
  int gpus = 0;
  MoneyRate rate{0};
  Confidence confidence = Confidence::memory;
};

/// The last rate of this instance known at the date; nothing if all known rates are later. Throws Error on
/// an unknown instance, and if it was never offered on these terms.
std::optional<RentOffer> rent_offer(const Catalog& catalog, std::string_view instance, RentTerms terms,
                                    std::string_view date);

/// The date of the first rate that the catalogue knows; empty if it knows none.
std::string first_rate_date(const Catalog& catalog, std::string_view instance, RentTerms terms);

/// The largest instance with this GPU whose rate on these terms is known at the date; nothing if there is
/// none.
std::optional<std::string> instance_with(const Catalog& catalog, std::string_view gpu, RentTerms terms,
                                         std::string_view date);

}  // namespace rackcast
