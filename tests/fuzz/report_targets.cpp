#include "reports/pages/campaign_report.hpp"
#include "reports/pages/case_rows.hpp"
#include "reports/pages/comparison_report.hpp"
#include "reports/pages/report.hpp"
#include "reports/pages/scaling_report.hpp"
#include "reports/pages/table_document.hpp"
#include "reports/pages/validation_report.hpp"
#include "reports/result/result.hpp"
#include "reports/writers/csv_writer.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/result/comparison.hpp"
#include "sim/json/reader.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {
namespace {

void write_all(const reports::Report& report) {
  (void)reports::write_text(report);
  (void)reports::write_markdown(report);
  (void)reports::write_html(report);
  (void)reports::write_csv(report);
}

}  // namespace

/// What `rackcast report` and `compare` do with a result.
void read_result_document(const std::string& bytes) {
  const Json json = parse_json(bytes, "fuzzed.json");
  const reports::Report report = reports::build_report(reports::load_result(json));
  write_all(report);
  (void)reports::decide_layer(report);
  const doc::Result result = doc::read_document<doc::Result>(json);
  const ComparedResult both[] = {{"a", result}, {"b", result}};
  (void)reports::comparison_report(doc::document_text(compare(both)), "comparison");
}

void read_campaign_document(const std::string& bytes) {
  write_all(reports::campaign_report(bytes, "fuzzed.json"));
}

void read_comparison_document(const std::string& bytes) {
  write_all(reports::comparison_report(bytes, "fuzzed.json"));
}

void read_validation_document(const std::string& bytes) {
  write_all(reports::build_validation_report(bytes, "fuzzed.json"));
  write_all(reports::build_case_rows(bytes, "fuzzed.json", "rackcast validate"));
}

void read_scaling_document(const std::string& bytes) {
  (void)reports::scaling_files(bytes, "fuzzed.json");
}

void read_table_document(const std::string& bytes) {
  (void)reports::render_tables(bytes, {.width = 100});
}

}  // namespace rackcast::fuzz
