#pragma once
/// Reads the facts of one entry into Known values; private to the specs.
#include <string>
#include <string_view>

#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/known.hpp"

namespace rackcast {

class SpecReader {
 public:
  explicit SpecReader(const CatalogEntry& entry) : entry_(entry) {}

  [[nodiscard]] const CatalogEntry& entry() const { return entry_; }

  /// The value of `fact` passed through `read`, with its origin.
  template <class T, class Read>
  Known<T> known(const Fact& fact, Read read) const {
    return {read(fact), fact.confidence(), fact.source(), entry_.kind + "/" + entry_.id + "/" + fact.key()};
  }

  template <class Q>
  Maybe<Q> quantity(std::string_view key, double scale = 1) const {
    return maybe<Q>(key, [scale](const Fact& fact) { return fact.quantity<Q>() * scale; });
  }
  /// The first of several keys that the entry has.
  template <class Q>
  Maybe<Q> first_quantity(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
      if (auto value = quantity<Q>(key)) return value;
    }
    return std::nullopt;
  }
  /// A count; Error at its place if it is not a whole number in [low, high].
  [[nodiscard]] Maybe<int> count(std::string_view key, int low = 0, int high = 1'000'000'000) const;
  [[nodiscard]] Maybe<double> number(std::string_view key) const;
  [[nodiscard]] Maybe<std::string> text(std::string_view key) const;

  template <class T, class Read>
  Maybe<T> maybe(std::string_view key, Read read) const {
    const Fact* fact = entry_.find(key);
    if (!fact) return std::nullopt;
    return known<T>(*fact, read);
  }
  /// `value`, or an Error that names the missing fact and the file to put it in.
  template <class T>
  const Known<T>& require(const Maybe<T>& value, std::string_view key) const {
    if (!value) (void)entry_.require(key);
    return *value;
  }

 private:
  const CatalogEntry& entry_;
};

}  // namespace rackcast
