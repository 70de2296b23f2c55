#pragma once
/// Keys, units and meanings of the structs of scenarios/document/comparison.hpp.
#include "scenarios/document/comparison.hpp"
#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

template <>
struct Fields<Comparison::Of> {
  static constexpr std::string_view name = "compared_result";
  static void each(const auto& visit) {
    visit(field("file", &Comparison::Of::file, "that was given").needed());
    visit(field("name", &Comparison::Of::name, "of its scenario"));
    visit(field("kind", &Comparison::Of::kind).of("size simulate"));
    visit(field("command", &Comparison::Of::command, "that gives the result again"));
  }
};

template <>
struct Fields<Comparison::Value> {
  static constexpr std::string_view name = "compared_value";
  static constexpr std::string_view meaning =
      "A number in the unit of its figure, or a text. With neither the result does not say.";
  static void each(const auto& visit) {
    visit(field("value", &Comparison::Value::value).signed_number().omitted());
    visit(field("low", &Comparison::Value::low, "90 % interval of value").signed_number().omitted());
    visit(field("high", &Comparison::Value::high).signed_number().omitted());
    visit(field("text", &Comparison::Value::text, "a name of the catalogue, or a limit").omitted());
    visit(field("at_least", &Comparison::Value::at_least,
                "the sum leaves something out; of a difference: one of its two sums does")
              .omitted());
  }
};

template <>
struct Fields<Comparison::Figure> {
  static constexpr std::string_view name = "compared_figure";
  static void each(const auto& visit) {
    visit(field("figure", &Comparison::Figure::figure).needed());
    visit(field("workload", &Comparison::Figure::workload,
                "the model whose figure it is; absent: the whole answer")
              .omitted());
    visit(field("unit", &Comparison::Figure::unit, "of the numbers; absent: texts").omitted());
    visit(field("values", &Comparison::Figure::values, "one for each result"));
    visit(field("differences", &Comparison::Figure::differences,
                "each result but the first, less the first. The interval takes their errors as independent: "
                "it is "
                "too wide where both rest on the same fit")
              .omitted());
  }
};

template <>
struct Fields<Comparison::Input> {
  static constexpr std::string_view name = "compared_input";
  static void each(const auto& visit) {
    visit(field("pointer", &Comparison::Input::pointer, "JSON pointer in the scenarios").needed());
    visit(field("values", &Comparison::Input::values, "one for each result; empty: it is not there"));
  }
};

template <>
struct Fields<Comparison> {
  static constexpr std::string_view name = "comparison";
  static constexpr std::string_view meaning =
      "What rackcast compare writes with --json and what its report is made of. A later program may add "
      "keys; "
      "a changed meaning gets a new version.";
  static void each(const auto& visit) {
    visit(field("format", &Comparison::format).needed());
    visit(field("version", &Comparison::version));
    visit(field("generator.name", &Comparison::program));
    visit(field("generator.version", &Comparison::program_version));
    visit(field("generator.commit", &Comparison::commit));
    visit(field("command", &Comparison::command));
    visit(field("results", &Comparison::results));
    visit(field("figures", &Comparison::figures, "that at least one of the results has"));
    visit(field("inputs", &Comparison::inputs, "in which the scenarios differ"));
    visit(field("more_inputs", &Comparison::more_inputs, "of them that are not listed").omitted());
  }
};

}  // namespace rackcast::doc
