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

/// sim <- topologies <- models <- scenarios; calibrate beside scenarios; reports on sim alone.
const std::vector<Layer>& layers();

/// The row of a folder, or nullptr for a folder that is no layer (tests, the program itself).
const Layer* find_layer(std::string_view folder);

/// `code` with comments, string and character literals blanked out; lines stay where they are.
std::string without_comments_and_literals(std::string_view code);

/// Includes of `code` that a file of `layer` may not have.
std::vector<Finding> forbidden_includes(const Layer& layer, std::string_view code);

/// Places of `code` that print or end the process: the privilege of main.cpp.
std::vector<Finding> prints_or_exits(std::string_view code);

/// Libraries (rackcast_*) that the rackcast_library() call of `cmake` links but `layer` may not use, and
/// layers whose library is not the one named after the folder.
std::vector<Finding> forbidden_links(const Layer& layer, std::string_view cmake);

}  // namespace rackcast::layering
