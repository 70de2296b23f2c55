#pragma once
/// Options with their values, from a script, a list or a block of YAML. Private to calibrate/import/launch.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/launch/argument_words.hpp"

namespace rackcast {

/// One option: "--name value ..." of a command, "name: value" of YAML, or "section.name=value" of Hydra.
/// Names have dashes in the place of underscores; "name" itself has that of its section before it,
/// "optim.name", and those of lines with #SBATCH have these letters: "#SBATCH --nodes".
struct LaunchArgument {
  std::string name;
  std::size_t offset = 0;            ///< of the name in the file
  std::vector<ArgumentWord> values;  ///< the first of them, cut to 4 kB each; further ones are not kept
  bool off = false;                  ///< YAML, Hydra: false, null or nothing
  std::size_t depth = 0;             ///< YAML, Hydra: sections around the name
};

/// The options of a file. Where a name comes more than once, the last one counts, as with argparse;
/// of the same name in several sections, the one with the fewest sections around it.
class ArgumentList {
 public:
  /// Throws Error for a text that cannot be taken apart, and for one without options.
  ArgumentList(const ImportSource& source, std::vector<std::string>& warnings);

  /// Null if the option is missing or switched off.
  [[nodiscard]] const LaunchArgument* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Whether the option is there, be it switched off.
  [[nodiscard]] bool names(std::string_view name) const { return arguments_.contains(name); }
  /// Every option once, in the order of their names.
  [[nodiscard]] const std::map<std::string, LaunchArgument, std::less<>>& all() const { return arguments_; }

  /// The value, or nothing without the option. Throws Error at its place for one that is missing or that the
  /// file does not say.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// A whole number in [low, high]. Error otherwise, at its place.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view name, std::int64_t low,
                                                  std::int64_t high) const;
  /// Throws Error at the value of an option that is there, or at its name.
  [[noreturn]] void fail(std::string_view name, const std::string& message, const std::string& hint) const;
  /// The script in Python that the file starts, "pretrain_gpt.py"; empty if it names none.
  [[nodiscard]] const std::string& script() const { return script_; }

 private:
  void read_words(std::vector<std::string>& warnings);
  void resolve_references();
  void read_yaml(std::vector<std::string>& warnings);
  void keep(LaunchArgument argument, std::vector<std::string>& warnings);

  const ImportSource& source_;
  std::string script_;
  bool yaml_ = false;
  std::size_t kept_bytes_ = 0;  ///< of all values in arguments_
  std::map<std::string, LaunchArgument, std::less<>> arguments_;
};

}  // namespace rackcast
