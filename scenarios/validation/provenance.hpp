#pragma once
/// Provenance: the cases on which the constants of the models rest. From this one registry `judged` is
/// computed.
///
/// Fits name their cases where they write their numbers: framework profiles, links, architectures, servers.
/// What was chosen by hand with measurements in view, and what was fitted on files of calibrate/data that
/// some cases repeat, is entered in models/data/provenance.json.
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

class Catalog;

/// The cases that have all of what is given here; empty members say nothing.
struct CasePattern {
  std::string id, series, source, citation;  ///< citation: a part of its words
  std::string task, metric, model;
  std::optional<double> gpus;
  double more_gpus_than = 0;
  int one_series_in = 1;  ///< a sample of the series, drawn by their names; 1: all of them

  [[nodiscard]] bool matches(const ValidationCase& c) const;
};

/// A constant, or a file of them, and what it rests on.
struct Provenance {
  std::string where;  ///< "models/data/frameworks: tensorflow-1"
  std::vector<std::string> ids;
  std::vector<CasePattern> patterns;
  bool fitted = false;  ///< by a fit that can be repeated without some of the cases; else chosen by hand
};

class ProvenanceRegistry {
 public:
  ProvenanceRegistry() = default;
  explicit ProvenanceRegistry(std::vector<Provenance> entries);

  [[nodiscard]] const std::vector<Provenance>& entries() const { return entries_; }
  /// The first constant that the case was used for; nullptr where no constant rests on it.
  [[nodiscard]] const Provenance* user_of(const ValidationCase& c) const;
  /// Without the constants of fits that can be repeated: what remains was chosen with cases in view.
  [[nodiscard]] ProvenanceRegistry chosen_by_hand() const;

 private:
  std::vector<Provenance> entries_;
  std::set<std::string, std::less<>> ids_;
};

/// That of the program, with these framework profiles.
ProvenanceRegistry provenance(const Catalog& catalog, std::span<const FrameworkProfile> profiles);

/// Folders of calibrate/data that come from the same people and machines as the cases of a source: whoever
/// leaves out the source leaves them out, too.
std::vector<std::string> data_of_source(std::string_view source);

}  // namespace rackcast
