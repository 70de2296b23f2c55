/// Completion of the command line in a shell, from the same description that reads it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace rackcast {
namespace {

/// What may follow "rackcast" and some words: commands, and the names of options.
struct Following {
  std::string path;  ///< the words, with a space behind each: "catalog list "
  std::vector<std::string> words, descriptions;
};

/// The first sentence of a help text, without the signs that a shell reads.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c != '\'' && c != '`' && c != ':' && c != '\\') out += c;
  }
  return out;
}

void add_following(const CLI::App& app, const std::string& path, std::vector<Following>& out) {
  Following here{path, {}, {}};
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : subcommands) {
    here.words.push_back(command->get_name());
    here.descriptions.push_back(one_line(command->get_description()));
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      here.words.push_back("--" + name);
      here.descriptions.push_back(one_line(option->get_description()));
    }
  }
  out.push_back(std::move(here));
  for (const CLI::App* command : subcommands) add_following(*command, path + command->get_name() + " ", out);
}

/// One branch of a `case` for each path.
std::string cases(const std::vector<Following>& all,
                  const std::function<std::string(const Following&)>& words) {
  std::string out;
  for (const Following& f : all) out += fmt::format("    '{}') {} ;;\n", f.path, words(f));
  return out;
}

/// The words before the cursor that are commands make the path; anything else leaves it.
constexpr std::string_view kBash = R"sh(# bash completion of rackcast, written by `rackcast completion bash`
_rackcast_words() {{
  case "$1" in
{0}    *) return 1 ;;
  esac
}}
_rackcast() {{
  local word path='' current=${{COMP_WORDS[COMP_CWORD]}}
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if _rackcast_words "$path$word " >/dev/null; then path="$path$word "; fi
  done
  COMPREPLY=($(compgen -W "$(_rackcast_words "$path")" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _rackcast rackcast
)sh";

constexpr std::string_view kZsh = R"sh(#compdef rackcast
# zsh completion of rackcast, written by `rackcast completion zsh`
_rackcast_words() {{
  case "$1" in
{0}    *) return 1 ;;
  esac
}}
_rackcast() {{
  local word next='' at=''
  local -a reply
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    next="$at$word "
    if _rackcast_words "$next"; then at="$next"; fi
  done
  _rackcast_words "$at"
  _describe 'rackcast' reply
  _files
}}
_rackcast "$@"
)sh";

std::string bash_script(const std::vector<Following>& all) {
  return fmt::format(kBash, cases(all, [](const Following& f) {
                       return fmt::format("echo '{}'", fmt::join(f.words, " "));
                     }));
}

std::string zsh_script(const std::vector<Following>& all) {
  return fmt::format(kZsh, cases(all, [](const Following& f) {
                       std::string out = "reply=(";
                       for (std::size_t i = 0; i < f.words.size(); ++i)
                         out += fmt::format("{}'{}:{}'", i == 0 ? "" : " ", f.words[i], f.descriptions[i]);
                       return out + ")";
                     }));
}

std::string fish_script(const std::vector<Following>& all) {
  std::string out = "# fish completion of rackcast, written by `rackcast completion fish`\n";
  for (const Following& f : all) {
    // The path is there, and no deeper one.
    const std::string path = f.path.substr(0, f.path.empty() ? 0 : f.path.size() - 1);
    std::string when = "__fish_use_subcommand";
    if (!path.empty()) {
      when.clear();
      for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(' ', at), path.size());
        when += (when.empty() ? "" : "; and ") +
                fmt::format("__fish_seen_subcommand_from {}", path.substr(at, end - at));
        at = end + 1;
      }
    }
    for (std::size_t i = 0; i < f.words.size(); ++i) {
      const std::string& word = f.words[i];
      const std::string what = word.starts_with("--") ? "-l " + word.substr(2) : "-a " + word;
      out += fmt::format("complete -c rackcast -n '{}' {} -d '{}'\n", when, what, f.descriptions[i]);
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app, Arguments&) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script by which a shell completes rackcast");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, shell] {
    std::vector<Following> all;
    add_following(app, "", all);
    print(*shell == "bash" ? bash_script(all) : *shell == "zsh" ? zsh_script(all) : fish_script(all));
  });
}

}  // namespace rackcast
