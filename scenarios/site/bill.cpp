#include <fmt/format.h>

#include <map>

#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

const char* group_of(DeviceRole role) {
  switch (role) {
    case DeviceRole::node:
    case DeviceRole::idle:
    case DeviceRole::spare:
      return "compute";
    case DeviceRole::storage:
      return "storage";
    case DeviceRole::equipment:
      return "other equipment";
    default:
      return "network";
  }
}

class Bill {
 public:
  Bill(const Catalog& catalog, const std::optional<PriceOptions>& prices)
      : catalog_(catalog), prices_(prices) {}

  void add(const char* group, const std::string& label, double quantity, const std::string& kind,
           const std::string& id) {
    if (quantity <= 0) return;
    BillRow row{group, label, quantity, {}, {}};
    if (!prices_) {
      row.note = "not priced: the scenario gives no date";
    } else if (auto price = site_price(catalog_, *prices_, kind, id, label)) {
      row.note = price->note;
      row.price = std::move(price);
    } else {
      row.note = kind.empty() ? "no price in the catalogue" : why_no_price(catalog_, kind, id, prices_->date);
    }
    rows_.push_back(std::move(row));
  }

  /// A price that stands below facility/racks.
  void add_of_rack(const std::string& label, double quantity, const std::string& fact_key) {
    if (quantity <= 0) return;
    add("racks", label, quantity, "", "");
    BillRow& row = rows_.back();
    const Fact* fact = catalog_.find("facility", "racks").find(fact_key);
    if (!prices_ || row.price || !fact) return;
    row.price = Price{fact->quantity<Money>(), "", fact->source(), fact->note(), fact->confidence()};
    row.note = fact->note();
  }

  void add_work(const std::string& label, const Price& price) {
    rows_.push_back({"work", label, 1, price, price.note});
  }

  [[nodiscard]] const std::vector<BillRow>& rows() const { return rows_; }

 private:
  const Catalog& catalog_;
  const std::optional<PriceOptions>& prices_;
  std::vector<BillRow> rows_;
};

void add_cables(Bill& bill, const Catalog& catalog, const NetworkReport& network) {
  std::map<std::pair<std::string, std::string>, int> known;  // product and label, in one order
  for (const CableGroup& g : network.cables) {
    const std::string name = g.product.empty() ? g.link + " cable" : catalog.find("cables", g.product).name;
    known[{g.product, fmt::format("{}, for {}", name, to_text(g.length))}] += g.count;
  }
  for (const auto& [key, count] : known) {
    bill.add("cables", key.second, count, key.first.empty() ? "" : "cables", key.first);
  }
}

}  // namespace

namespace {

std::vector<std::string> without_price(const std::vector<BillRow>& bill) {
  std::vector<std::string> out;
  for (const BillRow& row : bill)
    if (!row.price) out.push_back(fmt::format("{:g} x {}", row.quantity, row.item));
  return out;
}

}  // namespace

MissingFacts missing_facts(const SitePlan& plan, const PowerReport& power, const std::vector<BillRow>& bill) {
  MissingFacts out = plan.missing();
  out.prices = without_price(bill);
  // The catalogue may rate a node and not its GPUs.
  if (!power.known && out.power.empty())
    out.power.push_back(
        fmt::format("{} x {}", plan.devices.front().item.count, plan.devices.front().item.name));
  return out;
}

Money bill_total(const std::vector<BillRow>& bill) {
  Money sum{0};
  for (const BillRow& row : bill) sum += row.total();
  return sum;
}

std::vector<BillRow> bill_of_materials(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                                       const std::optional<NetworkReport>& network) {
  Bill bill{catalog, site.prices};
  for (const SiteDevice& d : plan.devices) {
    bill.add(group_of(d.role), d.item.name, d.item.count, d.catalog_kind, d.catalog_id);
  }
  if (network) add_cables(bill, catalog, *network);
  if (plan.packing) {
    const auto racks = static_cast<double>(plan.packing->racks.size());
    const double bare = racks - plan.own_racks();  // the others come with what stands in them
    bill.add_of_rack(plan.rack.name, bare, plan.rack.id + "/price_usd");
    bill.add_of_rack("rack PDU", bare * site.racks.pdus, "rack_pdu_price_usd");
    bill.add_of_rack("cable tray and installation of a rack", racks, "cable_tray_and_install_usd_per_rack");
  }
  if (site.prices) {
    const Fact& usual = catalog.find("prices", "planning").require("installation_fraction");
    const double fraction = site.prices->installation.value_or(usual.number());
    const bool given = site.prices->installation.has_value();
    bill.add_work("installation",
                  {fraction * bill_total(bill.rows()), "", given ? "the scenario" : usual.source(),
                   fmt::format("{:.3g} % of the rows above", 100 * fraction),
                   given ? Confidence::verified : usual.confidence()});
  }
  return bill.rows();
}

}  // namespace rackcast
