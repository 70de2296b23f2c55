#include "calibrate/import/launch/argument_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::size_t kept_values = 4, most_options = 20'000, longest_kept = 4096, most_kept_bytes = 16 << 20;

/// Keys by which a block of YAML is told from a script.
constexpr std::array<std::string_view, 6> yaml_marks{"tensor-model-parallel-size",
                                                     "pipeline-model-parallel-size",
                                                     "num-layers",
                                                     "hidden-size",
                                                     "micro-batch-size",
                                                     "global-batch-size"};

std::string dashed(std::string_view name) {
  std::string out = printable(name.substr(0, 80));
  std::ranges::replace(out, '_', '-');
  return out;
}

bool is_option_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The name of a key in its section: that of "name" means something else in each.
std::string name_in_section(std::string_view section, std::string_view key) {
  return key == "name" && !section.empty() ? dashed(section) + ".name" : dashed(key);
}

/// An option as messages have it.
std::string shown(std::string_view name) {
  return name.starts_with('#') ? std::string{name} : fmt::format("--{}", name);
}

struct YamlLine {
  std::string_view key, value;
  std::size_t indent = 0;  ///< letters before the key, dashes of lists among them
};

/// "  - --num-layers: 80  # note" as key and value; nothing for any other line.
std::optional<YamlLine> yaml_line(std::string_view line) {
  std::string_view rest = trimmed(line);
  if (rest.starts_with("- ")) rest = trimmed(rest.substr(2));
  const auto indent = static_cast<std::size_t>(rest.data() - line.data());
  if (rest.starts_with("--")) rest.remove_prefix(2);
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos || !is_option_name(rest.substr(0, colon))) return std::nullopt;
  std::string_view value = rest.substr(colon + 1);
  if (!value.empty() && value.front() != ' ' && value.front() != '\t') return std::nullopt;
  value = value.starts_with('#') ? std::string_view{} : value.substr(0, value.find(" #"));
  value = trimmed(value);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return YamlLine{rest.substr(0, colon), value, indent};
}

bool is_yaml(const ImportSource& source) {
  for (const ImportLine& line : source.lines())
    if (const auto read = yaml_line(line.text); read && std::ranges::count(yaml_marks, dashed(read->key)) > 0)
      return true;
  return false;
}

bool is_off(std::string_view value) {
  constexpr std::array<std::string_view, 8> words{"", "false", "False", "null", "~", "None", "no", "off"};
  return std::ranges::count(words, value) > 0;
}

/// "++model.optim.name=value" of Hydra's command line, or "+name=value"; nothing for any other word.
std::optional<LaunchArgument> override_of(const ArgumentWord& word) {
  const std::string_view text = word.text;
  const std::size_t start = std::min(text.find_first_not_of('+'), text.size()), equals = text.find('=');
  if (start > 2 || equals == std::string_view::npos || equals < start) return std::nullopt;
  const std::string_view path = text.substr(start, equals - start);
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos && start == 0) return std::nullopt;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    if (!is_option_name(path.substr(at, end - at))) return std::nullopt;
    at = end + 1;
  }
  const bool inside = dot != std::string_view::npos;
  const std::string_view parents = inside ? path.substr(0, dot) : std::string_view{};
  LaunchArgument argument{
      .name = name_in_section(parents.substr(parents.rfind('.') + 1), inside ? path.substr(dot + 1) : path),
      .offset = word.offset,
      .values = {word}};
  argument.values.front().text = text.substr(equals + 1);
  argument.off = is_off(argument.values.front().text);
  argument.depth = static_cast<std::size_t>(std::ranges::count(path, '.'));
  return argument;
}

}  // namespace

ArgumentList::ArgumentList(const ImportSource& source, std::vector<std::string>& warnings) : source_{source} {
  yaml_ = is_yaml(source);
  if (yaml_) {
    read_yaml(warnings);
  } else {
    read_words(warnings);
  }
  if (arguments_.empty())
    source.fail(std::size_t{0}, "there is no option in this file",
                "a script, a list or a block of YAML with options such as --tensor-model-parallel-size 8");
}

void ArgumentList::keep(LaunchArgument argument, std::vector<std::string>& warnings) {
  const auto bytes_of = [](const LaunchArgument& a) {
    std::size_t sum = 0;
    for (const ArgumentWord& value : a.values) sum += value.text.size();
    return sum;
  };
  for (ArgumentWord& value : argument.values)
    if (value.text.size() > longest_kept) value.text = value.text.substr(0, longest_kept);
  kept_bytes_ += bytes_of(argument);
  const auto value_of = [](const LaunchArgument& a) {
    return a.values.empty() ? std::string{} : a.values.front().text;
  };
  const auto found = arguments_.find(argument.name);
  if (found != arguments_.end()) kept_bytes_ -= bytes_of(found->second);
  if (kept_bytes_ > most_kept_bytes)
    source_.fail(argument.offset, "the values of the options have more than 16 MiB together",
                 "write a list of arguments: options, each with a short value");
  if (found == arguments_.end()) {
    if (arguments_.size() >= most_options)
      source_.fail(argument.offset, fmt::format("the file has more than {} options", most_options));
    arguments_.emplace(argument.name, std::move(argument));
    return;
  }
  LaunchArgument& known = found->second;
  // A section may be called like an option.
  const bool is_section = known.off && known.values.empty();
  if (known.depth < argument.depth && !is_section) {
    kept_bytes_ += bytes_of(known) - bytes_of(argument);
    return;
  }
  // Sections of YAML have keys of the same name.
  const bool counts = !yaml_ || std::ranges::count(yaml_marks, argument.name) > 0;
  if (counts && value_of(known) != value_of(argument) && warnings.size() < 20)
    warnings.push_back(fmt::format("{} is given more than once: the last one counts", shown(argument.name)));
  known = std::move(argument);
}

void ArgumentList::read_words(std::vector<std::string>& warnings) {
  std::optional<LaunchArgument> open;
  for_each_word(source_, [&](ArgumentWord word) {
    const bool is_short = word.text == "-N" || word.text == "-n";  // of #SBATCH
    if (!is_short && !(word.text.starts_with("--") && word.text.size() > 2)) {
      if (auto override = override_of(word)) {
        if (open) keep(std::move(*open), warnings);
        open.reset();
        keep(std::move(*override), warnings);
        return;
      }
      if (word.text.ends_with(".py")) script_ = word.text.substr(word.text.rfind('/') + 1);
      // The dash of a list in YAML stands before each of its words.
      if (open && word.text != "-" && open->values.size() < kept_values)
        open->values.push_back(std::move(word));
      return;
    }
    if (open) keep(std::move(*open), warnings);
    const std::string body = word.text.substr(is_short ? 1 : 2);
    const std::size_t equals = body.find('=');
    open = LaunchArgument{.name = (word.of_job ? "#SBATCH --" : "") + dashed(body.substr(0, equals)),
                          .offset = word.offset,
                          .values = {}};
    if (equals == std::string::npos) return;
    ArgumentWord value = std::move(word);
    value.text = body.substr(equals + 1);
    open->values.push_back(std::move(value));
  });
  if (open) keep(std::move(*open), warnings);
}

void ArgumentList::read_yaml(std::vector<std::string>& warnings) {
  std::vector<std::pair<std::size_t, std::string_view>> sections;  // around the line: indentation and key
  for (const ImportLine& line : source_.lines()) {
    const auto read = yaml_line(line.text);
    if (!read) continue;
    const auto offset_of = [this](std::string_view part) {
      return static_cast<std::size_t>(part.data() - source_.text().data());
    };
    while (!sections.empty() && sections.back().first >= read->indent) sections.pop_back();
    LaunchArgument argument{
        .name = name_in_section(sections.empty() ? std::string_view{} : sections.back().second, read->key),
        .offset = offset_of(read->key),
        .values = {}};
    argument.off = is_off(read->value);
    argument.depth = sections.size();
    if (read->value.empty()) sections.emplace_back(read->indent, read->key);
    if (!read->value.empty()) {
      ArgumentWord& value = argument.values.emplace_back();
      value.text = std::string{read->value.substr(0, longest_kept)};
      value.offset = offset_of(read->value);
      value.unknown = value.text.starts_with('$');
      if (value.unknown) value.unsaid = value.text.substr(0, 80);
    }
    keep(std::move(argument), warnings);
  }
  resolve_references();
}

/// NeMo's "${model.encoder_seq_length}" and "${.encoder_seq_length}" have the value of the option that the
/// last part of the path names, in this file.
void ArgumentList::resolve_references() {
  constexpr int longest_chain = 8;
  const auto target_of = [this](const LaunchArgument& argument) -> const LaunchArgument* {
    const std::string_view text = argument.values.front().text;
    if (!text.starts_with("${") || !text.ends_with('}') || text.find(':') != std::string_view::npos)
      return nullptr;
    const std::string_view path = text.substr(2, text.size() - 3);
    const std::size_t dot = path.rfind('.');
    const auto found = arguments_.find(dashed(dot == std::string_view::npos ? path : path.substr(dot + 1)));
    return found == arguments_.end() || found->second.values.empty() ? nullptr : &found->second;
  };
  for (auto& [name, argument] : arguments_) {
    for (int i = 0; i < longest_chain && !argument.values.empty() && argument.values.front().unknown; ++i) {
      const LaunchArgument* target = target_of(argument);
      if (!target || target == &argument) break;
      ArgumentWord& value = argument.values.front();
      value.text = target->values.front().text;
      value.unknown = target->values.front().unknown;
      argument.off = target->off;
    }
  }
}

const LaunchArgument* ArgumentList::find(std::string_view name) const {
  const auto found = arguments_.find(name);
  return found == arguments_.end() || found->second.off ? nullptr : &found->second;
}

void ArgumentList::fail(std::string_view name, const std::string& message, const std::string& hint) const {
  const LaunchArgument* argument = find(name);
  if (!argument) source_.fail(std::size_t{0}, message, hint);
  source_.fail(argument->values.empty() ? argument->offset : argument->values.front().offset, message, hint);
}

std::optional<std::string> ArgumentList::text(std::string_view name) const {
  const LaunchArgument* argument = find(name);
  if (!argument) return std::nullopt;
  if (argument->values.empty())
    fail(name, shown(name) + " has no value", fmt::format("for example {} 1", shown(name)));
  const ArgumentWord& value = argument->values.front();
  if (value.unknown)
    fail(
        name,
        fmt::format("{} is {}, and the file does not say what that is", shown(name), in_quotes(value.unsaid)),
        "assign the variable above, or write the value in its place");
  return value.text;
}

std::optional<std::int64_t> ArgumentList::count(std::string_view name, std::int64_t low,
                                                std::int64_t high) const {
  const auto value = text(name);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const char* last = value->data() + value->size();
  const auto [end, code] = std::from_chars(value->data(), last, number);
  if (code == std::errc::invalid_argument || end != last)
    fail(name, fmt::format("{} is {}, which is no whole number", shown(name), in_quotes(*value)),
         "write a plain number, without a unit");
  if (code != std::errc{} || number < low || number > high)
    fail(name,
         fmt::format("{} is {}, but must lie between {} and {}", shown(name), in_quotes(*value), low, high),
         "correct the number");
  return number;
}

}  // namespace rackcast
