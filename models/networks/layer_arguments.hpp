#pragma once
/// What a workload file says about one layer: either a bare word ("relu") or an object whose first key is the
/// kind ({"conv": 64, "kernel": 3}). "$name" stands for a parameter of the enclosing block or of the file.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

/// Values of "$name", looked up here and then in the parent (the file).
class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}

  void bind(std::string name, Json value) { values_.insert_or_assign(std::move(name), std::move(value)); }
  [[nodiscard]] bool binds(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// `value` itself, or what it stands for if it is "$name"; Error with near matches if nothing has that
  /// name.
  [[nodiscard]] const Json& resolve(const Json& value) const;

 private:
  [[nodiscard]] const Json* lookup(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  const Scope* parent_;
  std::map<std::string, Json, std::less<>> values_;
};

class LayerArguments {
 public:
  static constexpr std::int64_t max_count = 1'000'000'000;

  /// `defaults`: what the file says for all layers of a kind; called with the kind, may return nullptr.
  LayerArguments(const Json& layer, const Scope& scope,
                 const std::function<const Json*(std::string_view)>& defaults);

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const Scope& scope() const { return scope_; }
  [[nodiscard]] const Json& json() const { return layer_; }

  /// The value of a key with "$name" replaced, or nullptr. The key of the kind gives its main value.
  const Json* find(std::string_view key);
  const Json& require(std::string_view key);

  std::int64_t count(std::string_view key, std::int64_t low = 1, std::int64_t high = max_count);
  std::int64_t count_or(std::string_view key, std::int64_t fallback, std::int64_t low = 0,
                        std::int64_t high = max_count);
  bool flag_or(std::string_view key, bool fallback);
  std::string word_or(std::string_view key, std::string_view fallback);
  std::vector<std::int64_t> counts(std::string_view key, std::int64_t low = 1, std::int64_t high = max_count);
  /// One number for all axes or a list with one per axis; a missing key is `fallback`.
  std::vector<std::int64_t> per_axis_or(std::string_view key, std::size_t axes, std::int64_t fallback,
                                        std::int64_t low, std::int64_t high);
  /// A kind without a main value is written as a bare word, or with `true` where other keys are needed.
  void no_value();

  /// Rejects keys nobody asked for, in the layer and in the file's defaults for its kind.
  void finish() const;

 private:
  Json layer_;
  std::string kind_;
  const Scope& scope_;
  std::optional<ObjectReader> given_, defaults_;
};

/// Reads an integer in [low, high]; the Error says what `key` may be.
std::int64_t checked_integer(const Json& value, std::string_view key, std::int64_t low, std::int64_t high);

}  // namespace rackcast
