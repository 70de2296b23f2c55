#include "scenarios/format/service_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/data_path/preprocess.hpp"
#include "scenarios/names/own_file.hpp"

namespace rackcast {

namespace {

/// 24 weights of the hours from midnight on, in any unit.
DayProfile read_hours(const Json& json) {
  const auto& list = json.array();
  if (list.size() != hours_of_day)
    json.fail(fmt::format("a day has 24 hours, not {}", list.size()),
              "one weight for each, from midnight on");
  DayProfile out{};
  for (std::size_t h = 0; h < hours_of_day; ++h) {
    out[h] = list[h].number();
    if (out[h] < 0 || out[h] > 1e12) list[h].fail("the load of an hour is a number from 0 to 1e12");
  }
  const double mean = std::accumulate(out.begin(), out.end(), 0.0) / hours_of_day;
  if (!(mean > 0)) json.fail("no hour has any load");
  for (double& hour : out) hour /= mean;
  return out;
}

void read_load(ObjectReader& in, ServiceSpec& out) {
  const Json& rate = in.require("rate");
  out.rate = in.quantity<Frequency>("rate");
  if (out.rate < Frequency{1e-6} || out.rate > Frequency{1e12})
    rate.fail("a request rate lies between 0.000001/s and 1e12/s", R"(for example "20000/s")");
  out.hours_given = in.has("hours");
  if (out.hours_given && in.has("peak"))
    in.require("peak").fail("\"hours\" and \"peak\" say the same", "remove one of them");
  out.day = out.hours_given ? read_hours(in.require("hours")) : day_profile(in.number_or("peak", 1, 1, 12));
}

Duration read_latency(ObjectReader& in, std::string_view key) {
  const Json& place = in.require(key);
  const auto out = in.quantity<Duration>(key);
  if (out < Duration{1e-6} || out > Duration{3600})
    place.fail("a latency lies between 1 us and 1 h", R"(for example "50 ms")");
  return out;
}

/// A limit with a percentile of its own, {"limit": "500 ms", "percentile": 95}, or with that of the service.
std::optional<Duration> read_token_limit(ObjectReader& in, std::string_view key, double percentile,
                                         double& share) {
  share = percentile / 100;
  const Json* limit = in.find(key);
  if (!limit) return std::nullopt;
  if (limit->kind() != JsonKind::object) return read_latency(in, key);
  ObjectReader own{*limit};
  const Duration out = read_latency(own, "limit");
  share = own.number_or("percentile", percentile, 50, 99.9) / 100;
  own.finish();
  return out;
}

double read_length(ObjectReader& in, std::string_view key) {
  const Json& length = in.require(key);
  if (length.kind() == JsonKind::object)
    length.fail(
        fmt::format("\"{}\" is the mean number of tokens: a distribution of lengths has no model", key),
        "give the mean, for example 1000; with a longer one, what the tail of the lengths does");
  return in.number(key, 1, 1e6);
}

/// "prompt" and "output" make it a language model that answers token by token.
std::optional<TokenService> read_tokens(ObjectReader& in) {
  constexpr const char* members[] = {"output", "first_token",  "token",
                                     "tensor", "draft_tokens", "acceptance"};
  if (!in.has("prompt")) {
    for (const char* member : members)
      if (in.has(member))
        in.require(member).fail(
            fmt::format("\"{}\" is about a language model that answers token by token", member),
            "state \"prompt\" and \"output\", in tokens, as well");
    return std::nullopt;
  }
  TokenService out;
  out.where = in.require("prompt").where();
  out.prompt = read_length(in, "prompt");
  out.output = read_length(in, "output");
  const double percentile = in.number_or("percentile", 99, 50, 99.9);
  out.first = read_token_limit(in, "first_token", percentile, out.first_percentile);
  out.token = read_token_limit(in, "token", percentile, out.token_percentile);
  if (in.has("tensor")) out.tensor = static_cast<int>(in.integer("tensor", 1, 1024));
  if (in.has("draft_tokens")) out.drafts = static_cast<int>(in.integer("draft_tokens", 0, 16));
  if (in.has("acceptance")) out.acceptance = in.number("acceptance", 0, 1);
  if (out.acceptance && out.drafts == 0)
    in.require("acceptance").fail("no tokens are guessed that could be accepted", "add \"draft_tokens\": 3");
  return out;
}

void read_target(ObjectReader& in, ServiceSpec& out) {
  out.latency = Duration{std::numeric_limits<double>::infinity()};
  if (in.has("latency") || !out.tokens)
    out.latency = read_latency(in, "latency");
  else if (!out.tokens->first && !out.tokens->token)
    in.require("prompt").fail(
        "a language model is served within a limit",
        R"(add "first_token": "500 ms" and "token": "50 ms", or "latency" of a whole answer)");
  out.percentile = in.number_or("percentile", 99, 50, 99.9) / 100;
  if (in.has("spares")) out.spares = static_cast<int>(in.integer("spares", 0, 100'000));
  if (const Json* availability = in.find("availability")) {
    if (out.spares) availability->fail("\"spares\" and \"availability\" say the same", "remove one of them");
    out.availability = in.number("availability", 0.5, 0.9999999);
  }
}

void read_records(ObjectReader& in, ServiceSpec& out) {
  out.request = in.quantity_or<Bytes>("request", Bytes{0}, false);
  out.response = in.quantity_or<Bytes>("response", Bytes{0}, false);
  if (const Json* record = in.find("record")) {
    if (out.tokens)
      record->fail("a prompt needs no decoding", "leave \"record\" out of a service of a language model");
    out.record = record->string();
    out.record_where = record->where();
    try {
      (void)record_kind(out.record);
    } catch (const Error& e) {
      record->fail(e.message(), e.hint());
    }
  }
  if (in.has("record_size")) {
    out.record_size = in.number("record_size", 1e-9, 1e9);
    if (out.record.empty())
      in.require("record_size").fail("the size of which record?", R"("record": "jpeg")");
  }
}

}  // namespace

void check_serving_precision(Precision precision, PrecisionUse use, const Json& place) {
  const auto known = known_precisions(use);
  if (std::ranges::find(known, precision) == known.end())
    place.fail(fmt::format("no network is served in {}", to_string(precision)),
               "known for serving: " + names_of(known));
}

TokenLimits ServiceSpec::token_limits() const {
  TokenLimits out;
  if (tokens) {
    out.first = tokens->first;
    out.token = tokens->token;
  }
  if (std::isfinite(latency.base())) out.answer = latency;
  return out;
}

double ServiceSpec::peak() const {
  return std::ranges::max(day);
}

ServiceSpec read_service(const Json& json) {
  ObjectReader in{json};
  ServiceSpec out;
  out.where = json.where();
  out.model = name_or_file(in.require("model"));
  out.model_where = in.require("model").where();
  out.tokens = read_tokens(in);
  out.precision_is_default = !in.has("precision");
  out.precision_where = json.where();
  if (const Json* precision = in.find("precision")) {
    out.precision_where = precision->where();
    try {
      out.precision = parse_precision(precision->string());
    } catch (const Error& e) {
      precision->fail(e.message(), e.hint());
    }
    check_serving_precision(out.precision, out.use(), *precision);
  }
  if (const Json* framework = in.find("framework")) {
    ObjectReader f{*framework};
    out.framework = f.string("name");
    out.framework_version = f.string_or("version", "");
    f.finish();
  }
  read_load(in, out);
  read_target(in, out);
  out.max_batch_given = in.has("max_batch");
  out.max_batch = static_cast<int>(in.integer_or("max_batch", 64, 1, 4096));
  read_records(in, out);
  in.finish();
  return out;
}

}  // namespace rackcast
