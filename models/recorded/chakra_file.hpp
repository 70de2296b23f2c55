#pragma once
/// Execution traces of MLCommons Chakra (models/recorded/chakra.proto): one file per rank, or per class of
/// ranks that do the same.
///
/// Of a node rackcast reads type, data dependencies, duration, and the attributes `num_ops`, `tensor_size`,
/// `is_cpu_op`, `stream` (or `tid`), `comm_type`, `comm_size`, `comm_src`, `comm_dst` and `pg_name`, as the
/// feeder of Chakra names them. `comm_size` is the number of bytes that each rank contributes. Control
/// dependencies say who called a node, and here to which part of the step it belongs; as for the feeder, a
/// node does not wait for them.
///
/// A file written by rackcast says besides, in its metadata: `rank`, `ranks` (how many it stands for) and
/// `group <name>` (the ranks of a group); and of a node `duration_us`, with fractions.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/recorded/recorded_step.hpp"

namespace rackcast {

/// The step of these files. Where they do not say their rank, it is their place in the list; `groups` are the
/// ranks of groups by name, beside those that the files tell. `ranks`: of the run, if there are more than the
/// files stand for; the others do the same. Throws Error for a file that is cut short or is
/// no such trace, and whatever check_recorded() refuses.
RecordedStep read_chakra(const std::vector<std::string>& files,
                         std::map<std::string, std::vector<int>> groups = {}, std::optional<int> ranks = {});

/// What the files hold: one for each recorded rank, "et.<rank>.et".
std::vector<std::pair<std::string, std::string>> chakra_files(const RecordedStep& step);

}  // namespace rackcast
