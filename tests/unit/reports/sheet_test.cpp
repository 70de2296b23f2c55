#include "reports/writers/sheet.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/writers/csv_writer.hpp"
#include "reports/writers/xlsx_writer.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;
using namespace rackcast::reports;

namespace {

Cell money(double value) {
  return {.text = number_text(value), .value = value, .unit = "USD"};
}

/// A bill: 2 x 100 + 3 x 10 = 230.
Table bill() {
  Table table;
  table.caption = "Bill";
  table.columns = {
      {"Item"}, {"Quantity", Align::right}, {"Unit price", Align::right}, {"Price", Align::right}};
  table.columns[3].formula = "[Quantity] * [Unit price]";
  table.columns[3].total = true;
  table.rows = {{text_cell("node"), count_cell(2), money(100), money(200)},
                {text_cell("=HYPERLINK(\"x\")"), count_cell(3), money(10), money(30)}};
  return table;
}

Report page(Block::Body body) {
  return {"Title", "", {{"cost", "Cost", {{std::move(body)}}}}};
}

std::string csv(Block::Body body) {
  const auto files = write_csv(page(std::move(body)));
  REQUIRE(files.size() == 1);
  return files.front().text;
}

std::string run(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, got);
  CHECK(pclose(pipe) == 0);
  return out;
}

/// A member of a workbook, which is a zip archive.
std::string member(const std::string& path, const std::string& name) {
  return run(std::string{RACKCAST_PYTHON} + " -c 'import zipfile,sys; sys.stdout.write(zipfile.ZipFile(\"" +
             path + "\").read(\"" + name + "\").decode())'");
}

}  // namespace

TEST_CASE("csv has plain numbers with their unit in the head") {
  CHECK(csv(bill()) ==
        "Item,Quantity,Unit price (USD),Price (USD)\r\n"
        "node,2,100,200\r\n"
        "\"'=HYPERLINK(\"\"x\"\")\",3,10,30\r\n");  // no spreadsheet runs it
}

TEST_CASE("an interval has columns of its own") {
  Table table;
  table.columns = {{"Name"}, {"Time", Align::right}};
  table.rows = {{text_cell("a, b"), prediction_cell(Prediction{60, 50, 70, "s"})}, {text_cell("c"), {}}};
  CHECK(csv(table) ==
        "Name,Time (s),\"Time, low (s)\",\"Time, high (s)\"\r\n"
        "\"a, b\",60,50,70\r\n"
        "c,,,\r\n");
}

TEST_CASE("units that differ by row stand in a column") {
  Table table;
  table.columns = {{"What"}, {"Value", Align::right}};
  table.rows = {{text_cell("data"), number_cell(5, "B")}, {text_cell("time"), number_cell(6, "s")}};
  CHECK(csv(table) == "What,Value,\"Value, unit\"\r\ndata,5,B\r\ntime,6,s\r\n");
}

TEST_CASE("the tables of one section are numbered") {
  const auto files = write_csv({"", "", {{"cost", "Cost", {{bill()}, {Paragraph{"words"}}, {bill()}}}}});
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "cost");
  CHECK(files[1].name == "cost-2");
}

TEST_CASE("a workbook works prices out and adds them up") {
  const TemporaryFolder folder;
  const std::string path = folder / "r.xlsx";
  write_xlsx(page(bill()), path);
  const std::string sheet = member(path, "xl/worksheets/sheet1.xml");
  CHECK(sheet.find("<f>B3 * C3</f><v>200</v>") != std::string::npos);
  CHECK(sheet.find("<f>B4 * C4</f><v>30</v>") != std::string::npos);
  CHECK(sheet.find("<f>SUM(D3:D4)</f><v>230</v>") != std::string::npos);
  CHECK(member(path, "xl/workbook.xml").find("name=\"Cost\"") != std::string::npos);
  CHECK(member(path, "xl/sharedStrings.xml").find("=HYPERLINK") != std::string::npos);  // a text, no formula
}

TEST_CASE("the same report is the same workbook") {
  const TemporaryFolder folder;
  const auto bytes = [&](const std::string& name) {
    write_xlsx(page(bill()), folder / name);
    std::ifstream file(folder / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  CHECK(bytes("a.xlsx") == bytes("b.xlsx"));
}

TEST_CASE("a formula over a column that is not there is a bug that is told") {
  Table table = bill();
  table.columns[3].formula = "[Nothing] * 2";
  CHECK_THROWS_AS((void)sheets(page(table)), Error);
}

TEST_CASE("cells and sums carry formulas over names, so that a price changes what follows from it") {
  Table costs;
  costs.caption = "A year";
  costs.columns = {{"What"}, {"Cost", Align::right}};
  costs.rows = {{text_cell("depreciation"), money(57.5)},
                {text_cell("staff"), money(10)},
                {text_cell("sum"), money(67.5)}};
  costs.rows[0][1].formula = "bill_total / 4";
  costs.rows[2][1].formula = "SUM({above})";
  Table parts = bill();
  parts.columns[3].total_name = "bill_total";
  parts.rows.push_back({text_cell("rack"), count_cell(1), text_cell("not priced"), text_cell("")});
  Report report = page(costs);
  report.sections.push_back({"bill", "Bill of materials", {{parts}}});
  const TemporaryFolder folder;
  const std::string path = folder / "a.xlsx";
  write_xlsx(report, path);
  const std::string cost_sheet = member(path, "xl/worksheets/sheet1.xml");
  CHECK(cost_sheet.find("<f>bill_total / 4</f><v>57.5</v>") != std::string::npos);
  CHECK(cost_sheet.find("<f>SUM(B3:B4)</f><v>67.5</v>") != std::string::npos);
  const std::string bill_sheet = member(path, "xl/worksheets/sheet2.xml");
  CHECK(bill_sheet.find("<f>B5 * C5</f>") != std::string::npos);  // not priced yet, and ready for a price
  CHECK(bill_sheet.find("<f>SUM(D3:D5)</f><v>230</v>") != std::string::npos);
  CHECK(member(path, "xl/workbook.xml")
            .find("<definedName name=\"bill_total\">'Bill of materials'!$D$6</definedName>") !=
        std::string::npos);
}

TEST_CASE("a workbook has a cell for each rate, and what a year costs follows from them") {
  ResultDocument document;
  document.site = Site{};
  SiteCost c;
  c.capex_usd = 4000;
  c.depreciation_years = 4;
  c.depreciation_usd = 1000;
  c.interest_usd = 160;  // 8 % on half of the purchase
  c.support_usd = 400;
  c.space_usd = 40;
  c.usd_per_kwh = 0.1;
  c.utilisation = 0.5;
  c.energy_idle_usd = 10;
  c.energy_busy_usd = 110;
  c.energy_usd = 60;
  c.year_usd = 1660;
  c.rent = SiteCost::Rent{};
  c.rent->instance = "big";
  c.rent->usd_per_hour = 2;
  c.rent->year_usd = 500;
  c.rent->break_even = 1.6;
  document.site->cost = c;
  Report report{"", "", {{"cost", "Cost", cost_section(document)}}};
  const TemporaryFolder folder;
  write_xlsx(report, folder / "cost.xlsx");
  const std::string sheet = member(folder / "cost.xlsx", "xl/worksheets/sheet1.xml");
  const std::string names = member(folder / "cost.xlsx", "xl/workbook.xml");
  // 100 kWh idle, 1000 more at full use.
  CHECK(sheet.find("<f>(100 + share_in_use * 1000) * energy_price</f><v>60</v>") != std::string::npos);
  CHECK(sheet.find("<f>4000 / write_off_years</f><v>1000</v>") != std::string::npos);
  CHECK(sheet.find("<f>4000 / 2 * interest_rate</f><v>160</v>") != std::string::npos);
  CHECK(sheet.find("<f>4000 * support_rate</f><v>400</v>") != std::string::npos);
  CHECK(sheet.find(" * 500 * rent_per_hour</f>") != std::string::npos);  // 500 USD at half use and 2 USD/h
  for (const char* name : {"energy_price", "share_in_use", "write_off_years", "interest_rate", "support_rate",
                           "rent_per_hour", "cost_of_year"}) {
    CHECK(names.find("<definedName name=\"" + std::string(name) + "\">'Cost'!$B$") != std::string::npos);
  }
}
