#pragma once
/// A foreign text and the small tools that read it: lines, fields, strict numbers, errors that point at their
/// place. Private to the importers.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

/// One line, without its end; `offset` is that of its first byte.
struct ImportLine {
  std::string_view text;
  std::size_t offset = 0;
};

class ImportSource {
 public:
  /// A byte-order mark of UTF-8 at the front is left out.
  ImportSource(std::string name, std::string text);

  [[nodiscard]] std::string_view text() const { return source_.text; }
  [[nodiscard]] const std::string& name() const { return source_.name; }
  /// Numbers that the user gives for what the file leaves open, by its name for it.
  void set_sizes(std::map<std::string, std::int64_t> sizes) { sizes_ = std::move(sizes); }
  [[nodiscard]] const std::map<std::string, std::int64_t>& sizes() const { return sizes_; }
  [[nodiscard]] std::optional<std::int64_t> size_of(const std::string& name) const {
    const auto at = sizes_.find(name);
    return at == sizes_.end() ? std::nullopt : std::optional{at->second};
  }
  /// All lines; ends are LF or CR LF.
  [[nodiscard]] std::vector<ImportLine> lines() const;
  /// Throws Error at the place of byte `offset`.
  [[noreturn]] void fail(std::size_t offset, const std::string& message, const std::string& hint = {}) const;
  /// Throws Error at the beginning of `part`, which must be a view into text().
  [[noreturn]] void fail(std::string_view part, const std::string& message,
                         const std::string& hint = {}) const;
  /// `part` as a finite number in [low, high]. Error at its place otherwise.
  [[nodiscard]] double number(std::string_view part, double low, double high, std::string_view what) const;

 private:
  JsonSource source_;
  std::map<std::string, std::int64_t> sizes_;
};

/// The words of a line, split at blanks and tabs.
std::vector<std::string_view> words(std::string_view line);
std::string_view trimmed(std::string_view text);
/// The whole of `text` as a finite number, or nothing.
std::optional<double> to_number(std::string_view text);
/// The text between `before` and `after` (or the end of the line if `after` is empty), or nothing.
std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view after);

/// "70.6 million": three digits; small numbers as they are.
std::string count_in_words(double count);

/// The name of a product, made safe to print and cut to 80 characters. Only for fields that name a product:
/// never for hosts, users or paths.
std::string product_name(std::string_view text);

}  // namespace rackcast
