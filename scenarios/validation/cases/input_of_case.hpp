#pragma once
/// The input path of a case that reads real ImageNet images, as far as the case and its node state it:
/// loaders on the cores of the nodes, and storage for images that the page cache does not hold in the steady
/// state.
///
/// Nothing is guessed. The input path sets no limit if the case names no node, if the cores of the node are
/// not known, or if the data set is another one. If the storage is not in the catalogue, all images are taken
/// to be in the page cache.
#include <nlohmann/json_fwd.hpp>

#include "scenarios/validation/cases/case.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;
struct NodeSpec;

/// Mean of ImageNet's training JPEG files: 145 GB / 1,281,167.
inline constexpr Bytes imagenet_image{0.113e6};

/// Whether the GPUs of a case wait for JPEG files of ImageNet, as far as is known.
bool reads_images(const Catalog& catalog, const ValidationCase& c);

/// "storage" and "input" of its scenario.
nlohmann::ordered_json storage_document(const ValidationCase& c);
nlohmann::ordered_json input_document(const ValidationCase& c);

/// Images of the set, and the epoch in the middle of which a rate was measured, counted from one.
double images_of_set(const ValidationCase& c);
double epoch_of_rate(const ValidationCase& c);

/// Share of the images that storage serves once caches are warm: 1 where the set or the memory is not known.
double share_of_storage(const ValidationCase& c, const NodeSpec& node, int nodes, int gpus);

}  // namespace rackcast
