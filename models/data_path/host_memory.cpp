#include "models/data_path/host_memory.hpp"

#include <algorithm>

#include "models/data_files.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

Bytes page_cache_size(Bytes dram, const HostMemoryUse& use) {
  const Json file = parse_model_data("data_path/host_memory.json");
  const auto bytes = [&](const char* key) {
    return ObjectReader{file.require(key)}.quantity<Bytes>("value");
  };
  const Bytes job = use.gpus * (bytes("process") + use.prefetch * use.decoded_batch + use.shuffle_buffer);
  return std::max(Bytes{0}, dram - bytes("system") - job);
}

}  // namespace rackcast
