#pragma once
/// What the result says about racks, power and cooling, network, bill of materials and cost of the chosen
/// cluster. scenarios/document/site.hpp is its form.
#include <optional>
#include <string>
#include <vector>

#include "models/site/cabling.hpp"
#include "models/site/cost.hpp"
#include "scenarios/document/form/reason.hpp"
#include "scenarios/evidence/assumption.hpp"
#include "scenarios/evidence/estimate.hpp"
#include "scenarios/format/site_spec.hpp"
#include "scenarios/site/site_plan.hpp"

namespace rackcast {

class Evaluator;
struct Question;
struct Scenario;
struct SiteRun;

/// The ends of a 90 % interval as factors on what is expected.
struct Ends {
  double low = 1, high = 1;
};

struct RackReport {
  /// Racks with the same contents.
  struct Group {
    int first = 1, count = 1;  ///< numbers of racks, from 1
    RackCounts counts;
    std::vector<Placed> positions;  ///< of the first of them
    int units = 0;
    int height = 0;  ///< units of the rack itself: of its own, where a device brings it
    Power limit{0};  ///< that it may draw
    Power nameplate{0}, typical{0}, expected{0};
    Mass weight{0};
  };
  std::vector<Group> groups;
  std::vector<int> positions_of_rack;  ///< group of each rack
  std::optional<int> by_nameplate,
      by_typical;  ///< racks, were they packed so; nothing: a device fits no rack
};

struct PowerReport {
  struct StepPart {
    std::string name;
    Duration time{0};
    Power node{0};  ///< while it lasts
  };
  struct Run {
    std::string model, title;
    Duration time{0};
    Ends of_time;
    double busy = 0;
    Energy it{0}, facility{0};
    Mass co2{0};
  };
  bool known = false;  ///< the node has a rating
  std::vector<StepPart> step;
  double busy = 0;
  Estimate it;  ///< W, while the chosen workload trains
  Power nodes{0}, switches{0}, storage{0}, equipment{0}, psu_loss{0};
  Power nameplate{0}, typical{0}, idle{0};
  Power facility{0};  ///< IT times PUE, while training
  std::optional<Power> gpu_cap;
  double cap_speed = 1;
  std::optional<int> intensity_year;  ///< of the catalogue's carbon intensity
  Power gpu{0};                       ///< one, kernels running
  std::string gpu_model;              ///< which measurement it rests on
  bool gpu_borrowed = false;          ///< it is of another GPU
  double utilisation = 1;
  Energy it_year{0}, facility_year{0};
  Known<CarbonIntensity> intensity;
  std::string region;
  Mass co2_year{0};
  double btu_per_hour = 0, tons = 0, air_cfm = 0, air_rise = 15;  ///< of the nameplate power
  std::optional<double> water_litres_year;
  Power per_rack_mean{0}, per_rack_most{0};  ///< expected
  std::vector<Run> runs;
  SitePowerOptions feed;
  std::string unrated;  ///< the node, where it has no rating
};

struct NetworkReport {
  struct Row {
    std::string what, product;
    int count = 0, ports = 0, free_ports = 0;
  };
  std::string kind;
  std::vector<Row> switches;
  std::vector<CableGroup> cables;
  double oversubscription = 1;
  int node_cables = 0, storage_cables = 0, trunk_cables = 0;
};

struct BillRow {
  std::string group, item;  ///< "compute", "network", "cables", "storage", "racks", "work"
  double quantity = 0;
  std::optional<Price> price;
  std::string note;

  [[nodiscard]] Money total() const { return price ? quantity * price->unit : Money{0}; }
};

struct CostReport {
  struct Run {
    std::string model, title;
    Money own{0};
    std::optional<Money> rent;
    Ends of_own, of_rent;
  };
  std::string date;
  OwnCost own;
  double utilisation = 1;
  Known<EnergyPrice> energy_price;
  std::string energy_price_name;
  std::optional<Known<EnergyPrice>> space;
  double support = 0;
  bool staff_known = false;
  std::optional<doc::Reason> staff;  ///< people and their wage, where the scenario gives no sum
  std::optional<RentOffer> offer;
  std::string rent_terms;
  int instances = 0;
  MoneyRate rent{0};  ///< while it runs
  std::optional<double> break_even;
  Ends of_energy;                                         ///< power of the nodes and PUE, in quadrature
  std::optional<double> break_even_low, break_even_high;  ///< at the ends of the energy
  std::vector<Run> runs;
  std::vector<Assumption> planning;  ///< fractions of the catalogue, where the scenario gives none
  std::optional<int> energy_year;    ///< of the catalogue's price of electricity
  MissingFacts lacking;              ///< facts without which the sums are lower bounds
  std::vector<doc::Reason> missing;  ///< what the sums leave out, with the reason
};

struct SiteReport {
  SitePlan plan;
  bool nameplate_basis = true;
  RackReport racks;
  PowerReport power;
  std::optional<NetworkReport> network;  ///< nothing: the cluster has none
  std::vector<BillRow> bill;
  std::optional<CostReport> cost;  ///< nothing: the scenario gives no date for prices
  MissingFacts missing;            ///< no prices, where nothing is priced
  std::vector<Assumption> assumptions() const;
};

/// Nothing for a scenario without a site. `question` is that of the chosen cluster and workload.
std::optional<SiteReport> site_report(Evaluator& evaluator, const Catalog& catalog, const Scenario& scenario,
                                      const Question& question);

/// The same of a cluster whose work is known: `runs` starts with what decided.
/// `cluster`: with its spare nodes, the last `spares` of them.
SiteReport site_report(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster, int spares,
                       const StorageSpec& storage, const std::vector<SiteRun>& runs);

// The parts, one file each.
RackReport rack_report(const SiteSpec& site, const SitePlan& plan, const std::vector<Power>& expected);
NetworkReport network_report(const Catalog& catalog, const SitePlan& plan, const Cluster& cluster);
std::vector<BillRow> bill_of_materials(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                                       const std::optional<NetworkReport>& network);
CostReport cost_report(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                       const Cluster& cluster, const PowerReport& power, const std::vector<BillRow>& bill);

/// What the sums of a site leave out. Every row of the bill without a price counts.
MissingFacts missing_facts(const SitePlan& plan, const PowerReport& power, const std::vector<BillRow>& bill);

/// The sum of the rows that have a price.
Money bill_total(const std::vector<BillRow>& bill);

}  // namespace rackcast
