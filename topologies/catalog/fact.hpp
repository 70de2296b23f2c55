#pragma once
/// One catalogued figure with where it comes from. See topologies/data/README.md for the conventions.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// `verified`: the figure was read in the source. `memory`: recollection, to be taken with a wide interval.
enum class Confidence { verified, memory };
std::string_view to_string(Confidence);

/// A value with unit, source and confidence. The value is a number, a text, a list or an object.
class Fact {
 public:
  /// Reads {value, unit, source, confidence, year?, derived?, note?, alternatives?}. Throws Error at the
  /// place of a missing, unknown or ill-formed member.
  Fact(std::string key, const Json& json);

  [[nodiscard]] const std::string& key() const { return key_; }  ///< "fp32_tflops", "fdr/year"
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::string& note() const { return note_; }
  [[nodiscard]] Confidence confidence() const { return confidence_; }
  [[nodiscard]] std::optional<int> year() const { return year_; }

  [[nodiscard]] const Json& value() const { return value_; }
  [[nodiscard]] double number() const { return value_.number(); }  ///< in unit(); Error if not a number
  [[nodiscard]] const std::string& text() const { return value_.string(); }

  /// The number times its unit; Error for another dimension, a negative or implausible amount, a rate of 0.
  template <class Q>
  [[nodiscard]] Q quantity() const {
    return Q{base(Q::dimension)};
  }

  /// For people: "900 GB/s", "Intel Xeon ...", "[1, 2]".
  [[nodiscard]] std::string display() const;

 private:
  [[nodiscard]] double base(Dimension dimension) const;

  std::string key_, unit_, source_, note_;
  Confidence confidence_ = Confidence::memory;
  std::optional<int> year_;
  Json value_;
};

/// A JSON value on one line, for people and for search.
std::string flat_text(const Json& value);

}  // namespace rackcast
