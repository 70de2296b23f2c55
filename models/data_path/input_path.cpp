#include "models/data_path/input_path.hpp"

#include <cmath>

#include "models/data_files.hpp"
#include "sim/base/normal.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

InputPathFacts input_path_facts() {
  ObjectReader file{parse_model_data("host/input_path.json")};
  InputPathFacts facts;
  {
    ObjectReader in{file.require("decode_per_core")};
    facts.decode_per_core = Frequency{in.number("value", 1e-3, 1e9)};
    facts.decode_log_sigma =
        std::log(in.number("high", 1e-3, 1e9) / in.number("low", 1e-3, 1e9)) / (2 * half_of_90_percent);
    facts.decode_source = in.string("source");
    facts.decode_confidence = in.string("confidence");
    for (const char* key : {"unit", "note"}) in.string(key);
    in.finish();
  }
  {
    ObjectReader in{file.require("cores_per_gpu")};
    facts.cores_per_gpu = in.number("value", 1e-3, 1e4);
    facts.cores_log_sigma =
        std::log(in.number("high", 1e-3, 1e4) / in.number("low", 1e-3, 1e4)) / (2 * half_of_90_percent);
    for (const char* key : {"unit", "source", "confidence", "note"}) in.string(key);
    in.finish();
  }
  {
    ObjectReader in{file.require("storage_spread")};
    facts.storage_log_sigma = in.number("value", 0, 1);
    for (const char* key : {"unit", "source", "confidence"}) in.string(key);
    in.finish();
  }
  file.finish();
  return facts;
}

}  // namespace rackcast
