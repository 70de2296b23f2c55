#include "reports/writers/html_ask_again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

/// Firefox takes addresses of 1 MiB, Chromium of 2 MiB; some room is left for the address itself.
constexpr std::size_t longest_link = 1'000'000;

constexpr std::string_view base64_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// RFC 4648: three bytes are four letters of six bits. Without "=" at the end.
std::string six_bits_each(std::string_view bytes, std::string_view letters) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < here ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i <= here; ++i) out += letters[bits >> (18 - 6 * i) & 63];
  }
  return out;
}

std::string padded_base64(std::string_view bytes) {
  std::string out = six_bits_each(bytes, base64_letters);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

bool is_word_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (is_word_letter(letter))
      out += letter;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return out;
}

/// The name as a shell takes it: it has no quotes of its own.
std::string shell_word(const std::string& name) {
  return std::ranges::all_of(name, is_word_letter) ? name : "'" + name + "'";
}

/// "fleet" of "fleet.json".
std::string without_ending(const std::string& file) {
  return file.substr(0, file.rfind('.'));
}

std::string button_link(const std::string& address, std::string_view attributes, std::string_view words) {
  return fmt::format("<a class=\"button\" href=\"{}\"{}>{}</a>", html_escape(address), attributes, words);
}

std::string way_to_save(const AskAgain& again) {
  const std::string data = "data:application/json;base64," + padded_base64(again.scenario);
  if (data.size() > longest_link)
    return "<li>The scenario is too long for a link. Copy it from <a href=\"#reproduce\">How to "
           "reproduce</a>.</li>\n";
  const std::string name = html_escape(again.file);
  return fmt::format("<li>{} as {}{}.</li>\n",
                     button_link(data, fmt::format(" download=\"{}\"", name), "Save the scenario"), name,
                     again.names_files ? ", beside the files that it names" : "");
}

std::string way_in_browser(const AskAgain& again, std::string_view planner) {
  if (again.names_files)
    return "<li>The scenario names files or hardware of its owner, which no page sees. The program answers "
           "it.</li>\n";
  if (planner.empty())
    return "<li>To ask in a browser, open the saved file in the planner's page, rackcast.html. It was not "
           "found beside this report; <code>./dev web</code> builds it.</li>\n";
  const std::string with_scenario = fmt::format("{}#{}", planner, planner_fragment(again));
  if (with_scenario.size() > longest_link)
    return fmt::format("<li>{} and open the saved file there: it is too long for a link.</li>\n",
                       button_link(std::string{planner}, " rel=\"noreferrer\"", "Open the planner"));
  return fmt::format("<li>{} to change it and ask again in the browser. {}</li>\n",
                     button_link(with_scenario, " rel=\"noreferrer\"", "Open it in the planner"),
                     planner.starts_with("https:")
                         ? "Only the page is fetched from there: browsers do not send the scenario."
                         : "Nothing is sent anywhere.");
}

std::string way_by_command(const AskAgain& again) {
  if (again.typed_says_more)
    return "<p><a href=\"#reproduce\">How to reproduce</a> has the command. It says more than the scenario, "
           "or "
           "needs files beside it.</p>\n";
  return fmt::format(
      "<p>Or give the saved file to the program:</p>\n<pre tabindex=\"0\"><code class=\"command\">"
      "rackcast {} {} -o {}</code></pre>\n",
      html_escape(again.question), html_escape(shell_word(again.file)),
      html_escape(shell_word(without_ending(again.file) + ".html")));
}

}  // namespace

std::string planner_fragment(const AskAgain& again) {
  return fmt::format("scenario={}&question={}&file={}", six_bits_each(again.scenario, base64url_letters),
                     percent_encoded(again.question), percent_encoded(again.file));
}

std::string html_ask_again(const AskAgain& again, std::string_view planner) {
  return fmt::format(
      "<details class=\"ask\">\n<summary>Ask this again</summary>\n<ul>\n{}{}</ul>\n{}</details>\n",
      way_to_save(again), way_in_browser(again, planner), way_by_command(again));
}

}  // namespace rackcast::reports
