#pragma once
/// The way of real ImageNet images to the GPUs of a case, as far as the case and its node state it: loaders
/// on the cores of the nodes, and storage for what the page cache does not hold in the steady state.
///
/// Nothing is guessed: a case without a named node, a node without known cores, another data set, or a
/// storage that is not in the catalogue sets no limit.
#include "scenarios/validation/cases/case.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;
struct NodeSpec;
struct PredictedFigure;

/// Mean of ImageNet's training JPEG files: 145 GB / 1,281,167.
inline constexpr Bytes imagenet_image{0.113e6};

struct CaseInput {
  Frequency rate{0};       ///< images/s that pass; 0: no limit is known
  bool jitter = false;     ///< GPUs starve before mean rates meet
  double log_sigma = 0;    ///< of `rate`
  std::string binds = {};  ///< "decoding on the host", "storage read"
};

/// Whether the GPUs of a case wait for JPEG files of ImageNet at all.
bool reads_imagenet(const ValidationCase& c);

/// `nodes` of that kind, with `gpus` each, take part.
CaseInput input_of_case(const Catalog& catalog, const ValidationCase& c, const NodeSpec& node, int nodes,
                        int gpus);

/// Share of the images that storage serves once caches are warm: 1 where the set or the memory is not known.
double share_of_storage(const ValidationCase& c, const NodeSpec& node, int nodes, int gpus);

/// The rate of GPUs that never wait, limited by the input path. The more the input binds, the more its spread
/// counts and the less that of the GPUs.
PredictedFigure fed(const PredictedFigure& gpus, const CaseInput& input);

}  // namespace rackcast
