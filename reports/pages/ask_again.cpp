#include "reports/pages/ask_again.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/blocks/display_text.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t longest_file_name = 120;  // bytes; file systems take 255

bool is_among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Files that a scenario names: hardware and networks end in .json, recorded steps and jobs, calibrations and
/// what it extends stand under keys of their own. Words for people may end as they like.
bool names_a_file(const nlohmann::json& value, std::string_view key) {
  if (is_among(key, {"name", "title", "description", "source", "note", "$schema"})) return false;
  if (value.is_string())
    return is_among(key, {"extends", "calibration", "kineto", "chakra", "file"}) ||
           value.get_ref<const std::string&>().ends_with(".json");
  if (value.is_array())
    return std::ranges::any_of(value, [key](const auto& item) { return names_a_file(item, key); });
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.items(),
                             [](const auto& item) { return names_a_file(item.value(), item.key()); });
}

/// "fleet.json" of "/home/me/fleet.json". What could act on a file system or a shell becomes "-".
std::string saved_name(std::string_view path) {
  std::string name = single_line(path.substr(path.find_last_of("/\\") + 1));
  for (char& letter : name) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || static_cast<unsigned char>(letter) >= 0x80;
    if (!plain && !is_among({&letter, 1}, {" ", ".", "_", "-"})) letter = '-';
  }
  if (name.ends_with(".json")) name.resize(name.size() - 5);
  std::size_t end = std::min(name.size(), longest_file_name);
  while (end < name.size() && end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  name.resize(end);
  const bool usable = !name.empty() && !name.starts_with('-') && !name.starts_with('.');
  return (usable ? name : "scenario" + name) + ".json";
}

}  // namespace

Blocks ask_again(const AskedBefore& asked) {
  const auto scenario = nlohmann::json::parse(asked.scenario, nullptr, false);
  if (!scenario.is_object()) return {};
  const auto had = [&asked](std::string_view option) {
    return asked.command.find(option) != std::string::npos;
  };
  AskAgain again{asked.scenario + "\n", saved_name(asked.file), asked.question};
  again.names_files = names_a_file(scenario, "") || had(" --catalog");
  again.typed_says_more =
      (again.names_files && !asked.command.empty()) || had(" --limit") || had(" --no-fold");
  return {{std::move(again), Audience::document}};
}

}  // namespace rackcast::reports
