#include "models/gpu/cache_rates.hpp"

#include <string>
#include <vector>

#include "models/data_files.hpp"
#include "models/gpu/model_library.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

struct CacheRate {
  std::string gpu;
  Bandwidth per_sm;
};

std::vector<CacheRate> read_cache_rates() {
  const Json document = parse_model_data("cache_rates.json");
  ObjectReader file{document};
  file.string("note");
  std::vector<CacheRate> out;
  for (const Json& entry : file.require("gpus").array()) {
    ObjectReader in{entry};
    out.push_back({in.string("gpu"), in.quantity<Bandwidth>("per_sm")});
    in.string("source");
    in.string("confidence");
    in.finish();
  }
  file.finish();
  return out;
}

}  // namespace

Bandwidth cache_rate_per_sm(std::string_view gpu) {
  static const std::vector<CacheRate> known = read_cache_rates();  // the file does not change while it runs
  for (const CacheRate& rate : known)
    if (is_board_of(gpu, rate.gpu)) return rate.per_sm;
  return Bandwidth{0};
}

}  // namespace rackcast
