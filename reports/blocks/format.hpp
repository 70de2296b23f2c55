#pragma once
/// Numbers, times, dates and intervals as text, and as cells of tables.
/// Example: 1,160,000 s is "13.4 days".
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/blocks/block.hpp"
#include "scenarios/document/form/figures.hpp"

namespace rackcast::reports {

using doc::Prediction;

/// Three significant digits: "0.0123", "13.4", "22,100", "40.5 billion", "1.23e+15" from a quadrillion on.
std::string number_text(double value);
/// All digits, thousands apart: "3,432,100".
std::string count_text(std::int64_t value);
/// "92 %", below 10 % "4.2 %".
std::string percent_text(double fraction);
/// "13.4 days".
std::string duration_text(double seconds);
/// The day that "2019-06-01" names; nothing if the text is no date of the calendar.
std::optional<std::chrono::sys_days> calendar_day(std::string_view iso);
/// "1 June 2019", the day that is `seconds` after the begin of `day`; "after 9999" beyond.
std::string date_text(std::chrono::sys_days day, double seconds = 0);
/// "1 node", "13 nodes".
std::string counted(std::int64_t count, std::string_view singular);

/// "8", or with spare nodes "8 + 1 spare".
std::string nodes_text(std::int64_t nodes, std::int64_t spares);
/// "at least 16 million USD" where the sum leaves something out, else the text as it is.
std::string sum_text(std::string text, bool leaves_out);
/// "without A, B and 3 more, whose price is not known".
std::string left_out_text(const std::vector<std::string>& items, std::string_view fact);

/// A limit, or whatever else binds, in words: "opex_budget" is "opex budget", "gpu_memory" is "GPU memory".
std::string limit_title(std::string limit);

/// "13.4 days (11.9 to 15.2)": the value, and the 90 % interval in the same unit. A fraction is a percentage,
/// a rate is "22,100 /s". Without an interval (low = high) only the value.
std::string prediction_text(const Prediction& prediction);

// Cells that keep the number behind the text; a missing value is an empty cell ("–" on the page).
Cell text_cell(std::string text);

/// "no answer", in the place of a number of nodes.
Cell no_answer_cell();
Cell count_cell(std::optional<std::int64_t> value);
Cell number_cell(std::optional<double> value, std::string unit = {});
Cell bytes_cell(std::optional<double> value);
Cell percent_cell(std::optional<double> fraction);
/// The count of nodes, with the text of nodes_text().
Cell nodes_cell(std::optional<std::int64_t> nodes, std::int64_t spares);
/// The sum with sum_text().
Cell sum_cell(Cell cell, bool leaves_out);
Cell prediction_cell(const std::optional<Prediction>& prediction);
/// The cell with a 90 % interval behind its value: "13 (11 to 15)"; unchanged without both ends, or where
/// they read like the value.
Cell with_interval(Cell cell, std::optional<double> low, std::optional<double> high,
                   std::string (*text)(double));

}  // namespace rackcast::reports
