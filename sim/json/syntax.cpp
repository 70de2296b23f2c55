#include "sim/json/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/utf8.hpp"
#include "sim/json/node.hpp"
#include "sim/json/token.hpp"

namespace rackcast {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/// The last byte before `at` that is no white space; 0 if there is none. Comments count as text, which only
/// costs a hint.
char last_significant(std::string_view text, std::size_t at) {
  const std::size_t found = at == 0 ? text.npos : text.find_last_not_of(" \t\r\n", at - 1);
  return found == text.npos ? '\0' : text[found];
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_letter(text[end]) || text[end] == '-')) ++end;
  return text.substr(at, end - at);
}

std::string hint_for_word(std::string_view word, bool key) {
  if (key) return fmt::format("write keys in double quotes: \"{}\"", printable(word));
  if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf" || word == "-Infinity") {
    return "numbers must be finite; leave the key out if the value is not known";
  }
  if (word == "True" || word == "TRUE") return "write true";
  if (word == "False" || word == "FALSE") return "write false";
  if (word == "None" || word == "NULL" || word == "nil") return "write null, or leave the key out";
  return fmt::format("write text in double quotes: \"{}\"", printable(word));
}

[[noreturn]] void fail_at_end(const JsonSource& source, const SyntaxFailure& failure) {
  Where where = locate(source, source.text.size());
  if (source.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error{"the text is empty", std::move(where), "the smallest JSON object is {}"};
  }
  if (!failure.inside) throw Error{"the text ends before a value", std::move(where)};
  const Where open = locate(source, failure.open_offset);
  throw Error{
      fmt::format("the text ends inside {} that starts in line {}, column {}",
                  failure.open_is_object ? "an object" : "an array", open.line, open.column),
      std::move(where),
      fmt::format("is a \"{}\" missing, or is the file cut off?", failure.open_is_object ? '}' : ']')};
}

/// The bytes that `token` stands for: the parser spells a control character out in eight.
std::size_t raw_length(std::string_view token) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < token.size(); ++length) at += token.substr(at).starts_with("<U+00") ? 8 : 1;
  return length;
}

bool says(std::string_view reason, std::string_view words) {
  return reason.find(words) != reason.npos;
}

/// Where the token starts that the parser could not use; the size of the text if there was none left.
std::size_t token_start(std::string_view text, const SyntaxFailure& failure) {
  const std::string_view reason = failure.reason;
  const std::size_t read = std::min(failure.position, text.size());
  if (says(reason, "unexpected end of input")) return text.size();
  if (says(reason, "unexpected string literal")) return string_token_start(text, read);
  if (says(reason, "unexpected number literal") || says(reason, "invalid number")) {
    return number_token_start(text, read);
  }
  if (says(reason, "invalid string")) return read - std::min(read, raw_length(failure.token));
  if (says(reason, "invalid comment")) return std::min(text.rfind('/', read), read > 0 ? read - 1 : 0);
  std::size_t at = failure.position > 0 ? std::min(failure.position - 1, text.size()) : 0;
  const bool word = says(reason, "invalid literal") || says(reason, "literal; expected");
  while (word && at > 0 && is_letter(text[at - 1])) --at;
  return at;
}

/// What the parser said, without its own prefix and position.
std::string plain_reason(std::string_view reason) {
  const std::size_t dash = reason.find(" - ");
  std::string text{dash == reason.npos ? reason : reason.substr(dash + 3)};
  if (const std::size_t last = text.find("; last read: "); last != text.npos) {
    const std::size_t expected = text.find("; expected ", last);
    text.erase(last, (expected == text.npos ? text.size() : expected) - last);
  }
  return text;
}

}  // namespace

void fail_syntax(const JsonSource& source, const SyntaxFailure& failure) {
  const std::string_view text = source.text;
  const std::size_t at = token_start(text, failure);
  if (at >= text.size()) fail_at_end(source, failure);
  const Where where = locate(source, at);
  const char found = text[at];
  const char before = last_significant(text, at);
  const bool key = failure.inside && failure.open_is_object && (before == '{' || before == ',');
  if ((found == '}' || found == ']') && before == ',') {
    throw Error{fmt::format("a comma stands before the closing \"{}\"", found), where, "remove that comma"};
  }
  if (found == '\'') throw Error{"text in single quotes", where, "JSON takes double quotes"};
  if (found == '#')
    throw Error{"\"#\" starts no comment here", where, "comments start with // or stand in /* */"};
  if (!failure.inside && before != '\0' && says(failure.reason, "expected end of input") && found != '/') {
    throw Error{"text follows the end of the value", where, "a file holds one JSON value"};
  }
  const bool starts_value = found == '"' || found == '{' || found == '[' || is_letter(found) ||
                            found == '-' || (found >= '0' && found <= '9');
  const bool after_value = before == '"' || before == '}' || before == ']' || is_letter(before) ||
                           (before >= '0' && before <= '9');
  if (starts_value && after_value && failure.inside && says(failure.reason, "unexpected")) {
    const bool colon = says(failure.reason, "expected ':'");
    throw Error{fmt::format("a \"{}\" is missing before this", colon ? ':' : ','), where};
  }
  if (is_letter(found) || (found == '-' && at + 1 < text.size() && is_letter(text[at + 1]))) {
    const std::string_view word = word_at(text, at);
    const bool unit = before >= '0' && before <= '9';
    throw Error{fmt::format("{} is not JSON", in_quotes(word)), where,
                unit ? "write a number with a unit in double quotes" : hint_for_word(word, key)};
  }
  std::string hint;
  if (says(failure.reason, "surrogate")) {
    hint =
        "characters beyond \\uffff take two \\u escapes, a high and a low one; or write the character itself";
  } else if (found == '"' && failure.token.find('\\') != std::string_view::npos) {
    hint = "write a backslash as \\\\";
  } else if (found == '"') {
    hint = "is the closing quote missing?";
  }
  throw Error{plain_reason(failure.reason), where, hint};
}

}  // namespace rackcast
