/// The parser's events, turned into an immutable tree whose values know where they stand.
///
/// nlohmann/json 3.11 does not say where a value is. Its events come when a token has just been read, so the
/// number of bytes it has taken gives the token's end, and the token's own form its start: a string ends with
/// a quote, true, false and null have fixed lengths, and a number is read with one byte more than it has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/utf8.hpp"
#include "sim/json/node.hpp"
#include "sim/json/syntax.hpp"
#include "sim/json/token.hpp"

namespace rackcast {
namespace {

/// Hands bytes to the parser and tells how many it has taken.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** taken_to) : at_(at), taken_to_(taken_to) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *taken_to_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** taken_to_;
};

/// Receives the parser's events (the interface is nlohmann::json_sax, without its virtual calls).
class TreeBuilder {
 public:
  using json = nlohmann::json;

  TreeBuilder(std::shared_ptr<JsonDocument> document, JsonLimits limits)
      : document_(std::move(document)), limits_(limits), taken_to_(document_->source.text.data()) {}

  [[nodiscard]] const char** taken_to() { return &taken_to_; }
  [[nodiscard]] Json root() { return Json{std::move(root_)}; }

  bool null() { return add(taken() - 4, std::monostate{}); }
  bool boolean(bool value) { return add(taken() - (value ? 4 : 5), value); }
  bool number_integer(std::int64_t value) {
    return add(number_start(), JsonNumber{static_cast<double>(value), value, true});
  }
  bool number_unsigned(std::uint64_t value) {
    const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return add(number_start(),
               JsonNumber{static_cast<double>(value), fits ? static_cast<std::int64_t>(value) : 0, fits});
  }
  bool number_float(double value, const std::string&) {
    // 1e6 is a whole number too; beyond 2^53 a double no longer says which one.
    const bool whole = std::abs(value) <= 0x1p53 && value == std::floor(value);
    return add(number_start(), JsonNumber{value, whole ? static_cast<std::int64_t>(value) : 0, whole});
  }
  bool string(std::string& value) { return add(string_start(), std::move(value)); }
  bool binary(json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& value) {
    frames_.back().key = std::move(value);
    frames_.back().key_offset = string_start();
    return true;
  }
  bool end_object() {
    reject_repeated_keys(frames_.back());
    return close();
  }
  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& failure);

 private:
  struct Frame {
    bool is_object = false;
    std::uint32_t place = 0;
    std::vector<Json> elements;
    std::vector<Json::Member> members;
    std::vector<std::size_t> key_offsets;  ///< of `members`
    std::string key;                       ///< of the member that comes next
    std::size_t key_offset = 0;
  };

  [[nodiscard]] std::string_view text() const { return document_->source.text; }
  [[nodiscard]] std::size_t taken() const { return static_cast<std::size_t>(taken_to_ - text().data()); }

  [[nodiscard]] std::size_t number_start() const { return number_token_start(text(), taken()); }
  [[nodiscard]] std::size_t string_start() const { return string_token_start(text(), taken()); }

  std::uint32_t add_place(std::size_t offset) {
    if (document_->places.size() >= limits_.max_values) {
      throw Error{fmt::format("more than {} values", limits_.max_values), locate(document_->source, offset)};
    }
    JsonPlace place;
    place.offset = offset;
    if (!frames_.empty()) {
      const Frame& frame = frames_.back();
      place.parent = frame.place;
      place.is_member = frame.is_object;
      place.slot = frame.is_object ? frame.key_offset : frame.elements.size();
    }
    document_->places.push_back(place);
    return static_cast<std::uint32_t>(document_->places.size() - 1);
  }

  bool open(bool is_object) {
    const std::size_t offset = taken() - 1;
    if (frames_.size() >= static_cast<std::size_t>(limits_.max_depth)) {
      throw Error{fmt::format("objects and arrays are nested more than {} deep", limits_.max_depth),
                  locate(document_->source, offset)};
    }
    Frame frame;
    frame.is_object = is_object;
    frame.place = add_place(offset);
    frames_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Json::Node node{document_, frame.place, {}};
    if (frame.is_object) {
      node.value = std::move(frame.members);
    } else {
      node.value = std::move(frame.elements);
    }
    return attach(std::make_shared<const Json::Node>(std::move(node)));
  }

  template <class Value>
  bool add(std::size_t offset, Value&& value) {
    return attach(std::make_shared<const Json::Node>(
        Json::Node{document_, add_place(offset), std::forward<Value>(value)}));
  }

  bool attach(std::shared_ptr<const Json::Node> node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return true;
    }
    Frame& frame = frames_.back();
    if (frame.is_object) {
      frame.members.emplace_back(std::move(frame.key), Json{std::move(node)});
      frame.key_offsets.push_back(frame.key_offset);
    } else {
      frame.elements.emplace_back(std::move(node));
    }
    return true;
  }

  void reject_repeated_keys(const Frame& frame) const;

  std::shared_ptr<JsonDocument> document_;
  JsonLimits limits_;
  const char* taken_to_;
  std::vector<Frame> frames_;
  std::shared_ptr<const Json::Node> root_;
};

/// The parser itself would let the last one win.
void TreeBuilder::reject_repeated_keys(const Frame& frame) const {
  std::vector<std::size_t> order(frame.members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key_of = [&](std::size_t i) -> const std::string& {
    return frame.members[i].first;
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int compared = key_of(a).compare(key_of(b));
    return compared != 0 ? compared < 0 : a < b;
  });
  const auto twin = std::adjacent_find(order.begin(), order.end(),
                                       [&](std::size_t a, std::size_t b) { return key_of(a) == key_of(b); });
  if (twin == order.end()) return;
  const Where first = locate(document_->source, frame.key_offsets[*twin]);
  Where second = locate(document_->source, frame.key_offsets[*(twin + 1)]);
  second.pointer = document_->pointer(frame.place) + '/' + key_of(*twin);
  throw Error{fmt::format("the key {} is repeated", in_quotes(key_of(*twin))), std::move(second),
              fmt::format("it stands in line {}, column {} already; remove one of the two", first.line,
                          first.column)};
}

bool TreeBuilder::parse_error(std::size_t position, const std::string& token,
                              const nlohmann::detail::exception& failure) {
  if (failure.id == 406) {
    throw Error{fmt::format("the number {} is out of range", in_quotes(token)),
                locate(document_->source, number_start()), "numbers go up to 1.7e308"};
  }
  SyntaxFailure seen{.position = position, .token = token, .reason = failure.what()};
  if (!frames_.empty()) {
    seen.inside = true;
    seen.open_is_object = frames_.back().is_object;
    seen.open_offset = document_->places[frames_.back().place].offset;
  }
  fail_syntax(document_->source, seen);
}

void check_bytes(const JsonSource& source, const JsonLimits& limits) {
  if (source.text.size() > limits.max_bytes) {
    throw Error{
        fmt::format("the text has {} bytes, more than the {} allowed", source.text.size(), limits.max_bytes),
        Where{.file = source.name}};
  }
  if (const std::size_t at = source.text.find('\0'); at != std::string::npos) {
    throw Error{"this is not text: it holds a zero byte", locate(source, at),
                "is this a binary file, or UTF-16?"};
  }
  if (const auto at = first_bad_utf8(source.text)) {
    throw Error{fmt::format("the byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(source.text[*at])),
                locate(source, *at), "save the file as UTF-8"};
  }
}

}  // namespace

Json parse_json(std::string text, std::string name, JsonLimits limits) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  auto document = std::make_shared<JsonDocument>();
  document->source = {std::move(name), std::move(text)};
  check_bytes(document->source, limits);
  TreeBuilder builder{document, limits};
  const char* begin = document->source.text.data();
  const char* end = begin + document->source.text.size();
  nlohmann::json::sax_parse(CountingIterator{begin, builder.taken_to()},
                            CountingIterator{end, builder.taken_to()}, &builder,
                            nlohmann::json::input_format_t::json, true, true);
  document->places.shrink_to_fit();
  return builder.root();
}

}  // namespace rackcast
