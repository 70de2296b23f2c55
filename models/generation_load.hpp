#pragma once
/// A server of a language model under a given number of requests that come at a given rate.
///
/// Pass by pass: prompts that have arrived go through the network first, then every request in flight gets a
/// token. Requests come evenly and are of the mean length; a rate that the server cannot keep leaves them
/// waiting for a place.
#include <vector>

#include "sim/quantity.hpp"

namespace rackcast {

struct GenerationLoad {
  /// Time of one token for 1, 2, 4, 8 ... requests in flight; at least one. In between it is interpolated.
  std::vector<Duration> token;
  Duration prompt{0};   ///< of one request
  int output = 1;       ///< tokens of an answer
  int places = 1;       ///< requests in flight at most
  int requests = 1;     ///< that come in all
  Duration between{0};  ///< two arrivals; 0: all come at once
};

/// From the first arrival to the last token. Throws Error where a number is not positive.
Duration time_to_answer_all(const GenerationLoad& load);

}  // namespace rackcast
