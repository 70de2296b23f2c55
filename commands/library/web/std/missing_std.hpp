#pragma once
/// What C++20 has and the standard library of Debian 12's Emscripten (libc++ 13) lacks, as far as rackcast
/// uses it: algorithms over ranges, on top of those over iterators; floating-point numbers from text; two
/// small functions. Included before every file of that build. range-v3 was tried first: its nth_element() of
/// 0.12 writes outside the range where numbers repeat.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

namespace std {
namespace ranges {

template <class In, class Out>
struct in_out_result {
  In in;
  Out out;
};
template <class In, class Out>
in_out_result(In, Out) -> in_out_result<In, Out>;

template <class T>
struct min_max_result {
  T min, max;
};
template <class T>
min_max_result(T, T) -> min_max_result<T>;

namespace missing {

/// `test` of what the projection makes of an element.
template <class Test, class Projection>
auto projected(Test& test, Projection& projection) {
  return [&](auto&& value) -> bool {
    return invoke(test, invoke(projection, value));
  };
}

/// `test` of what the projections make of two elements.
template <class Test, class First, class Second>
auto projected(Test& test, First& first, Second& second) {
  return [&](auto&& a, auto&& b) -> bool {
    return invoke(test, invoke(first, a), invoke(second, b));
  };
}

}  // namespace missing

template <class Range, class Test, class Projection = identity>
auto all_of(Range&& range, Test test, Projection projection = {}) {
  return std::all_of(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Test, class Projection = identity>
auto any_of(Range&& range, Test test, Projection projection = {}) {
  return std::any_of(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Test, class Projection = identity>
auto none_of(Range&& range, Test test, Projection projection = {}) {
  return std::none_of(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Test, class Projection = identity>
auto find_if(Range&& range, Test test, Projection projection = {}) {
  return std::find_if(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Test, class Projection = identity>
auto find_if_not(Range&& range, Test test, Projection projection = {}) {
  return std::find_if_not(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Test, class Projection = identity>
auto count_if(Range&& range, Test test, Projection projection = {}) {
  return std::count_if(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Test, class Projection = identity>
auto partition_point(Range&& range, Test test, Projection projection = {}) {
  return std::partition_point(begin(range), end(range), missing::projected(test, projection));
}
template <class Range, class Value, class Projection = identity>
auto find(Range&& range, const Value& value, Projection projection = {}) {
  return std::find_if(begin(range), end(range),
                      [&](auto&& element) -> bool { return invoke(projection, element) == value; });
}
template <class Range, class Value, class Projection = identity>
auto count(Range&& range, const Value& value, Projection projection = {}) {
  return std::count_if(begin(range), end(range),
                       [&](auto&& element) -> bool { return invoke(projection, element) == value; });
}
template <class Iterator, class Value, class Projection = identity>
auto find(Iterator first, Iterator last, const Value& value, Projection projection = {}) {
  return std::find_if(first, last,
                      [&](auto&& element) -> bool { return invoke(projection, element) == value; });
}
template <class Range, class Less = less, class Projection = identity>
auto max_element(Range&& range, Less smaller = {}, Projection projection = {}) {
  return std::max_element(begin(range), end(range), missing::projected(smaller, projection, projection));
}
template <class Range, class Less = less, class Projection = identity>
auto min_element(Range&& range, Less smaller = {}, Projection projection = {}) {
  return std::min_element(begin(range), end(range), missing::projected(smaller, projection, projection));
}
template <class Range, class Less = less, class Projection = identity>
auto sort(Range&& range, Less smaller = {}, Projection projection = {}) {
  return std::sort(begin(range), end(range), missing::projected(smaller, projection, projection));
}
template <class Range, class Less = less, class Projection = identity>
auto stable_sort(Range&& range, Less smaller = {}, Projection projection = {}) {
  return std::stable_sort(begin(range), end(range), missing::projected(smaller, projection, projection));
}
template <class Range, class Iterator, class Less = less, class Projection = identity>
void nth_element(Range&& range, Iterator nth, Less smaller = {}, Projection projection = {}) {
  std::nth_element(begin(range), nth, end(range), missing::projected(smaller, projection, projection));
}
template <class Range, class Equal = equal_to, class Projection = identity>
auto adjacent_find(Range&& range, Equal same = {}, Projection projection = {}) {
  return std::adjacent_find(begin(range), end(range), missing::projected(same, projection, projection));
}
template <class Range, class Equal = equal_to, class Projection = identity>
auto unique(Range&& range, Equal same = {}, Projection projection = {}) {
  return subrange{std::unique(begin(range), end(range), missing::projected(same, projection, projection)),
                  end(range)};
}
template <class Range, class Value, class Less = less, class Projection = identity>
auto lower_bound(Range&& range, const Value& value, Less smaller = {}, Projection projection = {}) {
  identity as_it_is;
  return std::lower_bound(begin(range), end(range), value, missing::projected(smaller, projection, as_it_is));
}
template <class Range, class Value, class Less = less, class Projection = identity>
auto upper_bound(Range&& range, const Value& value, Less smaller = {}, Projection projection = {}) {
  identity as_it_is;
  return std::upper_bound(begin(range), end(range), value, missing::projected(smaller, as_it_is, projection));
}
template <class Range, class Value>
bool binary_search(Range&& range, const Value& value) {
  return std::binary_search(begin(range), end(range), value);
}
template <class A, class B, class Equal = equal_to, class OfA = identity, class OfB = identity>
bool equal(A&& a, B&& b, Equal same = {}, OfA of_a = {}, OfB of_b = {}) {
  return std::equal(begin(a), end(a), begin(b), end(b), missing::projected(same, of_a, of_b));
}
template <class Range, class Less = less, class Projection = identity>
requires range<Range>
auto minmax_element(Range&& range, Less smaller = {}, Projection projection = {}) {
  const auto [least, most] =
      std::minmax_element(begin(range), end(range), missing::projected(smaller, projection, projection));
  return min_max_result{least, most};
}
template <class Range, class Less = less, class Projection = identity>
requires range<Range>
auto max(Range&& range, Less smaller = {}, Projection projection = {}) {
  return *ranges::max_element(range, smaller, projection);
}
template <class Range, class Less = less, class Projection = identity>
requires range<Range>
auto min(Range&& range, Less smaller = {}, Projection projection = {}) {
  return *ranges::min_element(range, smaller, projection);
}
template <class T, class Less = less, class Projection = identity>
const T& min(const T& a, const T& b, Less smaller = {}, Projection projection = {}) {
  return missing::projected(smaller, projection, projection)(b, a) ? b : a;
}
template <class T>
T max(initializer_list<T> values) {
  return std::max(values);
}
template <class T>
T min(initializer_list<T> values) {
  return std::min(values);
}
template <class Range, class Less = less, class Projection = identity>
requires range<Range>
auto minmax(Range&& range, Less smaller = {}, Projection projection = {}) {
  const auto found = ranges::minmax_element(range, smaller, projection);
  return min_max_result{*found.min, *found.max};
}
template <class Range, class Old, class New>
void replace(Range&& range, const Old& old, const New& with) {
  std::replace(begin(range), end(range), old, with);
}
template <class Range>
void reverse(Range&& range) {
  std::reverse(begin(range), end(range));
}
template <class Range, class Work>
void for_each(Range&& range, Work work) {
  std::for_each(begin(range), end(range), std::move(work));
}
template <class Range, class Out>
auto copy(Range&& range, Out out) {
  return in_out_result{end(range), std::copy(begin(range), end(range), std::move(out))};
}
template <class Range, class Out>
auto move(Range&& range, Out out) {
  return in_out_result{end(range), std::move(begin(range), end(range), std::move(out))};
}
template <class Range, class Out, class Test, class Projection = identity>
auto copy_if(Range&& range, Out out, Test test, Projection projection = {}) {
  return in_out_result{end(range), std::copy_if(begin(range), end(range), std::move(out),
                                                missing::projected(test, projection))};
}
template <class Range, class Out, class Make, class Projection = identity>
auto transform(Range&& range, Out out, Make make, Projection projection = {}) {
  return in_out_result{end(range), std::transform(begin(range), end(range), std::move(out),
                                                  [&](auto&& value) -> decltype(auto) {
                                                    return invoke(make, invoke(projection, value));
                                                  })};
}
template <class A, class B, class Out>
auto set_intersection(A&& a, B&& b, Out out) {
  return std::set_intersection(begin(a), end(a), begin(b), end(b), std::move(out));
}

}  // namespace ranges

template <class To, class From>
constexpr To bit_cast(const From& value) noexcept {
  static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, value);
}

template <class T>
unique_ptr<T> make_unique_for_overwrite() {
  return unique_ptr<T>{new T};
}

/// Of decimal digits, with a fraction and an exponent or without; other than the standard's it knows no "inf"
/// and "nan".
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* end = first;
  bool not_zero = false;
  const auto digits = [&] {
    const char* from = end;
    for (; end != last && *end >= '0' && *end <= '9'; ++end) not_zero |= *end != '0';
    return end != from;
  };
  if (end != last && *end == '-') ++end;
  bool any = digits();
  if (end != last && *end == '.') {
    ++end;
    any |= digits();
  }
  if (!any) return {first, errc::invalid_argument};
  const bool of_zero = !not_zero;
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* before = end++;
    if (end != last && (*end == '-' || *end == '+')) ++end;
    if (!digits()) end = before;
  }
  const double read = strtod(string{first, end}.c_str(), nullptr);
  if (isinf(read) || (read == 0 && !of_zero)) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc{}};
}

}  // namespace std
