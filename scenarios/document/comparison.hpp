#pragma once
/// Results side by side: "format": "rackcast-comparison" (whole.hpp writes and reads it).
#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

struct Comparison {
  struct Of {
    std::string file, name, kind, command;
  };
  /// A number with its 90 % interval, or a text. Nothing of it: the result does not say.
  struct Value {
    std::optional<double> value = {}, low = {}, high = {};
    std::string text = {};
    bool at_least = false;
  };
  struct Figure {
    std::string figure, workload, unit;
    std::vector<Value> values, differences;
  };
  struct Input {
    std::string pointer;
    std::vector<std::string> values;
  };
  static constexpr std::string_view format_name = "rackcast-comparison";
  static constexpr std::int64_t current_version = 1;

  std::string format, program, program_version, commit, command;
  std::int64_t version = current_version;
  std::vector<Of> results;
  std::vector<Figure> figures;
  std::vector<Input> inputs;
  std::int64_t more_inputs = 0;
};

template <>
struct Fields<Comparison::Of> {
  static constexpr std::string_view name = "compared_result";
  static constexpr auto list = std::tuple{
      field("file", &Comparison::Of::file, "that was given").needed(),
      field("name", &Comparison::Of::name, "of its scenario"),
      field("kind", &Comparison::Of::kind).of("size simulate"),
      field("command", &Comparison::Of::command, "that gives the result again"),
  };
};
template <>
struct Fields<Comparison::Value> {
  static constexpr std::string_view name = "compared_value";
  static constexpr std::string_view meaning =
      "A number in the unit of its figure, or a text. With neither the result does not say.";
  static constexpr auto list = std::tuple{
      field("value", &Comparison::Value::value).signed_number().omitted(),
      field("low", &Comparison::Value::low, "90 % interval of value").signed_number().omitted(),
      field("high", &Comparison::Value::high).signed_number().omitted(),
      field("text", &Comparison::Value::text, "a name of the catalogue, or a limit").omitted(),
      field("at_least", &Comparison::Value::at_least,
            "the sum leaves something out; of a difference: one of its two sums does")
          .omitted(),
  };
};
template <>
struct Fields<Comparison::Figure> {
  static constexpr std::string_view name = "compared_figure";
  static constexpr auto list = std::tuple{
      field("figure", &Comparison::Figure::figure).needed(),
      field("workload", &Comparison::Figure::workload,
            "the model whose figure it is; absent: the whole answer")
          .omitted(),
      field("unit", &Comparison::Figure::unit, "of the numbers; absent: texts").omitted(),
      field("values", &Comparison::Figure::values, "one for each result"),
      field(
          "differences", &Comparison::Figure::differences,
          "each result but the first, less the first. The interval takes their errors as independent: it is "
          "too wide where both rest on the same fit")
          .omitted(),
  };
};
template <>
struct Fields<Comparison::Input> {
  static constexpr std::string_view name = "compared_input";
  static constexpr auto list = std::tuple{
      field("pointer", &Comparison::Input::pointer, "JSON pointer in the scenarios").needed(),
      field("values", &Comparison::Input::values, "one for each result; empty: it is not there"),
  };
};
template <>
struct Fields<Comparison> {
  static constexpr std::string_view name = "comparison";
  static constexpr std::string_view meaning =
      "What rackcast compare writes with --json and what its report is made of. A later program may add "
      "keys; "
      "a changed meaning gets a new version.";
  static constexpr auto list = std::tuple{
      field("format", &Comparison::format).needed(),
      field("version", &Comparison::version),
      field("generator.name", &Comparison::program),
      field("generator.version", &Comparison::program_version),
      field("generator.commit", &Comparison::commit),
      field("command", &Comparison::command),
      field("results", &Comparison::results),
      field("figures", &Comparison::figures, "that at least one of the results has"),
      field("inputs", &Comparison::inputs, "in which the scenarios differ"),
      field("more_inputs", &Comparison::more_inputs, "of them that are not listed").omitted(),
  };
};

}  // namespace rackcast::doc
