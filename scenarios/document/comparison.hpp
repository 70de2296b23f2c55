#pragma once
/// Results side by side: "format": "rackcast-comparison" (whole.hpp writes and reads it).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace rackcast::doc
