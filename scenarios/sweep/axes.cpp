#include "scenarios/sweep/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostValues = 1'000'000;
constexpr std::uint64_t kMostPoints = 100'000'000;

[[noreturn]] void fail(const std::string& text, const std::string& what) {
  throw Error{fmt::format("--vary {}: {}", text, what),
              {},
              "for example --vary cluster.nodes=1..128, =1..1024*2, =0.5..8#16, or =fp32,mixed",
              ErrorKind::usage};
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool whole(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15;
}

std::string text_of(double value) {
  return whole(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

/// " ms" of "20 ms", "/s" of "400000/s"; empty where the text is not a number with something behind it.
std::string unit_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return {};
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto first = rest.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  const char c = rest[first];
  const bool unit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/';
  return unit ? std::string{rest} : std::string{};
}

class Range {
 public:
  Range(const std::string& text, std::string_view body) : text_(text) {
    const auto dots = body.find("..");
    const auto mark = body.find_first_of(":*#", dots);
    low_ = end(body.substr(0, dots));
    auto high = body.substr(dots + 2, mark == std::string_view::npos ? mark : mark - dots - 2);
    unit_ = unit_of(high);
    high.remove_suffix(unit_.size());
    high_ = end(high);
    if (high_ < low_) fail(text_, "the range is empty");
    if (mark == std::string_view::npos) return;
    kind_ = body[mark];
    step_ = end(body.substr(mark + 1));
  }

  [[nodiscard]] std::vector<std::string> values() const {
    if (kind_ == '#') return by_logarithm();
    std::vector<std::string> out;
    if (kind_ == '*' && !(step_ > 1 && low_ > 0)) fail(text_, "a factor is above 1, and the range above 0");
    if (kind_ == ':' && !(step_ > 0)) fail(text_, "a step is above 0");
    if (kind_ == ':' && !whole(low_) && !whole(step_)) fail(text_, "steps are of whole numbers");
    for (std::size_t i = 0;; ++i) {
      const auto n = static_cast<double>(i);
      const double value = kind_ == '*' ? low_ * std::pow(step_, n) : low_ + step_ * n;
      if (value > high_ * (1 + 1e-12)) return out;
      if (out.size() == kMostValues) fail(text_, "more than a million values");
      out.push_back(text_of(value) + unit_);
    }
  }

 private:
  double end(std::string_view text) const {
    const auto value = number(text);
    if (!value) fail(text_, fmt::format("\"{}\" is not a number", text));
    return *value;
  }
  [[nodiscard]] std::vector<std::string> by_logarithm() const {
    if (!whole(step_) || step_ < 2 || step_ > static_cast<double>(kMostValues) || !(low_ > 0))
      fail(text_, "a number of values from 2 on, and a range above 0");
    std::vector<std::string> out;
    for (double i = 0; i < step_; ++i) {
      const double value = low_ * std::pow(high_ / low_, i / (step_ - 1));
      std::string text = fmt::format("{:.6g}{}", value, unit_);  // six digits: what people would type
      if (out.empty() || out.back() != text) out.push_back(std::move(text));
    }
    return out;
  }

  const std::string& text_;
  std::string unit_;
  double low_ = 0, high_ = 0, step_ = 1;
  char kind_ = ':';
};

std::vector<std::string> list(const std::string& text, std::string_view body) {
  std::vector<std::string> out;
  for (;;) {
    const auto comma = body.find(',');
    if (body.substr(0, comma).empty()) fail(text, "an empty value");
    out.emplace_back(body.substr(0, comma));
    if (out.size() > kMostValues) fail(text, "more than a million values");
    if (comma == std::string_view::npos) return out;
    body.remove_prefix(comma + 1);
  }
}

}  // namespace

SweepAxis read_axis(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    fail(text, "expected path=values");
  const std::string_view body = std::string_view{text}.substr(equals + 1);
  SweepAxis axis{text.substr(0, equals), {}};
  const bool range = body.find("..") != std::string_view::npos && body.find(',') == std::string_view::npos;
  axis.values = range ? Range{text, body}.values() : list(text, body);
  std::vector<std::string_view> sorted{axis.values.begin(), axis.values.end()};
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    fail(text, fmt::format("{} is there twice", *twice));
  return axis;
}

std::uint64_t point_count(const std::vector<SweepAxis>& axes) {
  std::uint64_t count = 1;
  for (const SweepAxis& axis : axes) {
    count *= axis.values.size();
    if (count > kMostPoints)
      throw Error{"a sweep of more than 100 million points", {}, "vary less", ErrorKind::usage};
  }
  return count;
}

std::vector<std::string> point_values(const std::vector<SweepAxis>& axes, std::uint64_t index) {
  std::vector<std::string> out(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    out[i] = axes[i].values[index % axes[i].values.size()];
    index /= axes[i].values.size();
  }
  return out;
}

}  // namespace rackcast
