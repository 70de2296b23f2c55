#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rackcast::layering {

/// A broken rule: the line (1-based) and what is wrong with it.
struct Finding {
  int line;
  std::string message;
};

/// One row of the table of layers: files of `folder` may include only from `may_include` (and themselves).
struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

/// sim <- topologies <- models <- validation <- scenarios; calibrate beside scenarios; the result document on
/// sim alone, below scenarios and reports.
const std::vector<Layer>& layers();

/// The row of a folder, or nullptr for a folder that is no layer (tests, the program itself).
const Layer* find_layer(std::string_view folder);

/// The layer of a file or an include, by the longest folder that it lies in; nullptr for others.
const Layer* layer_of(std::string_view path);

/// The rooms (folders) of a layer from the bottom up. "." stands for the files beside the rooms.
struct Rooms {
  std::string_view layer;
  std::vector<std::vector<std::string_view>> floors;  ///< rooms of one floor may include each other
};
const std::vector<Rooms>& rooms();

/// The room of a path in its layer ("engine" of "sim/engine/fluid.hpp"), "." beside them; empty outside
/// layers.
std::string_view room_of(std::string_view path);

/// Includes of the file `path` that lie in a room above its own. A room that the table lacks is a finding.
std::vector<Finding> includes_from_above(std::string_view path, std::string_view code);

/// `code` with comments, string and character literals blanked out; lines stay where they are.
std::string without_comments_and_literals(std::string_view code);

/// Places of `code` outside comments with one of `names` (in lower case) as a whole word, whatever its case.
/// An underscore ends a word.
std::vector<Finding> names_in_code(std::string_view code, const std::vector<std::string>& names);

/// Includes of `code` that a file of `layer` may not have.
std::vector<Finding> forbidden_includes(const Layer& layer, std::string_view code);

/// Places of `code` that print or end the process: the privilege of main.cpp.
std::vector<Finding> prints_or_exits(std::string_view code);

/// Places of `code` that ask for the time of day, which somebody may set while the program runs.
std::vector<Finding> reads_wall_clock(std::string_view code);

/// Libraries (rackcast_*) that the rackcast_library() call of `cmake` links but `layer` may not use, and
/// layers whose library is not the one named after the folder.
std::vector<Finding> forbidden_links(const Layer& layer, std::string_view cmake);

}  // namespace rackcast::layering
