#pragma once
/// The sections of a report: pure functions from the result document to blocks, one file each. A section that
/// has nothing to say returns no blocks. Their order is in reports/pages/report.cpp.
#include <string>
#include <string_view>
#include <vector>

#include "reports/blocks/block.hpp"
#include "reports/result/result.hpp"

namespace rackcast::reports {

Blocks decision_section(const ResultDocument& document);
/// Odds against nodes and money, the chart to decide by.
Blocks odds_section(const ResultDocument& document);
Blocks reasons_section(const ResultDocument& document);
Blocks what_if_section(const ResultDocument& document);
Blocks plan_section(const ResultDocument& document);
/// What it would change if a limit were 10 % looser.
Blocks relaxation_blocks(const std::optional<Plan>& plan);
Blocks alternatives_section(const ResultDocument& document);
/// Of workloads whose split over GPUs was searched: the best, and why they are.
Blocks split_section(const ResultDocument& document);
Blocks serving_section(const ResultDocument& document);
Blocks ladder_section(const ResultDocument& document);
Blocks performance_section(const ResultDocument& document);
/// The nearest measured runs of each workload, and how all of them have turned out.
Blocks evidence_section(const ResultDocument& document);
/// What the owner measured, what was predicted before and after, and how far it moved the answer.
Blocks measured_section(const ResultDocument& document);
Blocks input_pipeline_section(const ResultDocument& document);
Blocks reliability_section(const ResultDocument& document);
Blocks data_growth_section(const ResultDocument& document);
Blocks racks_section(const ResultDocument& document);
Blocks power_section(const ResultDocument& document);
Blocks network_section(const ResultDocument& document);
Blocks bill_section(const ResultDocument& document);
Blocks cost_section(const ResultDocument& document);
Blocks sensitivity_section(const ResultDocument& document);
Blocks growth_plan_section(const ResultDocument& document);
Blocks risks_section(const ResultDocument& document);
/// The three that weigh most, each with its size; nothing where there is none.
Blocks largest_risks(const ResultDocument& document);
Blocks published_section(const ResultDocument& document);
Blocks method_section(const ResultDocument& document);
Blocks assumptions_section(const ResultDocument& document);
/// Those that the answer is sensitive to: the input that moves the time most, and what nobody has verified.
Blocks weighty_assumptions(const ResultDocument& document);
Blocks reproduce_section(const ResultDocument& document);

/// Headings and titles by which the first page finds what it may shorten.
inline constexpr std::string_view largest_risks_title = "Largest risks",
                                  weighty_assumptions_title = "Assumptions that matter",
                                  warning_title = "Warning";

/// Is the workload one that a reader sees first? Of more than two only the one that takes longest.
bool comes_first(const ResultDocument& document, const WorkloadResult& workload);

/// The sum of the bill of materials in a workbook, for formulas of other sections.
inline constexpr std::string_view bill_total_name = "bill_total";
/// "In this training" or "While serving", as a label or (not `first`) within one.
std::string working_label(std::string_view activity, bool first = true);

}  // namespace rackcast::reports
