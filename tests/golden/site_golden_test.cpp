// What a buyer and a facilities engineer would notice of the shipped sites, rounded. RACKCAST_UPDATE_GOLDEN=1
// rewrites the files; the difference is then reviewed like code. No packing here needs CBC, so a build
// without it gives the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/site/result_site.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/units/quantity_text.hpp"
#include "tests/answer_sentence.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string racks(const SiteReport& site, const doc::Site& written) {
  std::string out = reports::packing_text(written) + "\n" + reports::fullest_rack_text(written) + "\n";
  for (const auto& g : site.racks.groups) {
    out += fmt::format("  {} x rack of {} units, {}:", g.count, g.units, to_text(g.weight));
    for (std::size_t k = 0; k < g.counts.size(); ++k) {
      if (g.counts[k] > 0) out += fmt::format(" {} x {};", g.counts[k], site.plan.devices[k].item.name);
    }
    out += "\n";
  }
  return out;
}

std::string power(const PowerReport& p, const doc::Site& written) {
  return fmt::format(
      "{}\n  idle {}, busy {:.2f}, {:.4g} BTU/h, {:.4g} CFM, a year {:.4g} MWh and {} of CO2 ({})\n",
      reports::power_text(written), to_text(p.idle), p.busy, p.btu_per_hour, p.air_cfm,
      p.facility_year.base() / 3.6e9, to_text(p.co2_year), p.region);
}

std::string money(const SiteReport& site, const doc::Site& written) {
  std::string out;
  for (const BillRow& row : site.bill) {
    out +=
        fmt::format("  {:g} x {}: {}\n", row.quantity, row.item, row.price ? to_text(row.total()) : row.note);
  }
  if (!site.cost) return out;
  out += reports::cost_text(written) + "\n";
  for (const auto& run : site.cost->runs) {
    out += fmt::format("  one run of {}: {} owned, {} rented\n", run.model, to_text(run.own),
                       run.rent ? to_text(*run.rent) : "not");
  }
  for (const doc::Reason& missing : site.cost->missing)
    out += fmt::format("  not in the sums: {}\n", reports::reason_text(missing));
  return out;
}

std::string summary(const Result& result) {
  const SiteReport& site = result.site.value();
  const doc::Site written = site_document(site);
  return fmt::format("{}: {}\n\n{}\n{}\n{}\n\n{}", result.scenario.name, answer_sentence(result),
                     racks(site, written), power(site.power, written),
                     written.network ? reports::network_text(*written.network) : "no network",
                     money(site, written));
}

void check_golden(const std::string& scenario, bool sized) {
  const std::string folder = std::string{RACKCAST_SOURCE_DIR} + "/";
  const std::string golden = folder + "tests/golden/site/" + scenario + ".txt";
  const Scenario asked = load_scenario(folder + "scenarios/" + scenario + ".json");
  const Catalog catalog = Catalog::builtin();
  const std::string found = summary(sized ? size(asked, catalog) : simulate(asked, catalog));
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, found);
  INFO(golden, " differs; RACKCAST_UPDATE_GOLDEN=1 accepts the change, once it is understood");
  CHECK(found == read_file(golden));
}

}  // namespace

TEST_CASE("the shipped sites' answers are the reviewed ones") {
  check_golden("dgx_pod_dgx1", false);
  check_golden("dgx_pod_dgx2", false);
  check_golden("power_limited_site", true);
  check_golden("buy_or_rent", false);
}
