#pragma once
/// Prices of the catalogue at a date. What has no price has none: nothing is guessed.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"
#include "topologies/fact.hpp"

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

/// The dated price of a system nearest before `date`, or else the first after it, with a note; without dated
/// prices what the entry itself lists. Nothing if the catalogue has no price. `kind` is a folder of the
/// catalogue: nodes, switches, storage, cables.
std::optional<Price> price_of(const Catalog& catalog, std::string_view kind, std::string_view id,
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

/// The offer of this instance nearest before the date (else the first after, with a note). Throws Error on an
/// unknown instance, and if it was never offered on these terms.
RentOffer rent_offer(const Catalog& catalog, std::string_view instance, RentTerms terms,
                     std::string_view date);

/// The largest instance with this GPU that was offered on these terms; nothing if there is none.
std::optional<std::string> instance_with(const Catalog& catalog, std::string_view gpu, RentTerms terms);

}  // namespace rackcast
