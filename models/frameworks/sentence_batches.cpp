#include "models/frameworks/sentence_batches.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/data_files.hpp"
#include "models/frameworks/framework.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

constexpr double most_tokens = 1e6;

struct SentenceScript {
  std::string network, framework;
  std::vector<std::string> sets;
  std::optional<double> container_from, container_before, cut, stated_as, gpus_to;
  SentenceBatches batches;
};

std::optional<double> bound(ObjectReader& in, std::string_view key) {
  if (!in.has(key)) return std::nullopt;
  return container_of("NGC " + in.string(key));
}

std::optional<double> number(ObjectReader& in, std::string_view key) {
  if (!in.has(key)) return std::nullopt;
  return in.number(key, 1, most_tokens);
}

SentenceScript read_script(const Json& json) {
  ObjectReader in{json};
  SentenceScript s;
  s.network = in.string("network");
  s.framework = in.string("framework");
  for (const Json& set : in.require("sets").array()) s.sets.push_back(set.string());
  s.container_from = bound(in, "container_from");
  s.container_before = bound(in, "container_before");
  s.cut = number(in, "cut");
  s.stated_as = number(in, "stated_as");
  s.gpus_to = number(in, "gpus_to");
  SentenceBatches& b = s.batches;
  b.pairs = in.number("pairs", 1, 1e12);
  b.computed = in.number("computed", 1, most_tokens);
  b.counted = in.number("counted", 1, most_tokens);
  b.filling = in.number_or("filling", 0, 1, most_tokens);
  b.unfilled = in.number_or("unfilled", 0, 0, 1000);
  b.first_epoch = in.number("first_epoch", -1, 1);
  if (const Json* tokens = in.find("max_tokens")) {
    ObjectReader t{*tokens};
    b.wide_tokens = t.number("fp32", 1, most_tokens);
    b.tokens = t.number("mixed", 1, most_tokens);
    t.finish();
  }
  in.string("source");
  in.finish();
  return s;
}

std::vector<SentenceScript> read_scripts() {
  const Json file = parse_model_data("sentence_batches.json");
  std::vector<SentenceScript> out;
  for (const Json& json : file.require("scripts").array()) out.push_back(read_script(json));
  return out;
}

bool matches(const SentenceScript& s, const SentenceQuery& q, std::optional<double> container) {
  if (s.network != q.network || s.framework != q.framework) return false;
  if (std::ranges::find(s.sets, q.set) == s.sets.end()) return false;
  if (s.container_from && !(container && *container >= *s.container_from)) return false;
  if (s.container_before && !(container && *container < *s.container_before)) return false;
  if (s.gpus_to && q.gpus > *s.gpus_to) return false;
  return !q.cut || !s.cut || *q.cut == *s.cut || q.cut == s.stated_as;
}

}  // namespace

std::int64_t SentenceBatches::length() const {
  return std::llround(computed);
}

double SentenceBatches::pairs_in(double max_tokens) const {
  if (!(filling > 0)) throw Error{"this script's batches are numbers of pairs, not of tokens"};
  const auto side = static_cast<double>(length());
  const double rows = 8 * std::round((max_tokens / filling - unfilled) * side / 8);
  if (!(rows >= side)) throw Error{"a batch of this many tokens does not hold one pair of sentences"};
  return rows / side;
}

std::optional<SentenceBatches> sentence_batches(const SentenceQuery& query) {
  static const std::vector<SentenceScript> scripts = read_scripts();
  const std::optional<double> container = container_of(query.version);
  for (const SentenceScript& s : scripts)
    if (matches(s, query, container)) return s.batches;
  return std::nullopt;
}

}  // namespace rackcast
