#pragma once
/// The data files of models/data, which travel inside the program.
#include <string>
#include <string_view>

#include "sim/json/reader.hpp"

namespace rackcast {

/// The parsed file of that name relative to models/data. Asks only for files that exist: the name is ours.
Json parse_model_data(std::string_view name);
/// Its text.
std::string model_data_text(std::string_view name);

}  // namespace rackcast
