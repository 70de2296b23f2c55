#pragma once
/// A server of a language model under a given number of requests that come at a given rate.
///
/// Pass by pass: every request in flight gets a token, and tokens of prompts fill the pass up (A. Agrawal et
/// al., "Sarathi-Serve", OSDI 2024: the products of both are one, so weights are read once). A prompt that
/// does not fit is cut and goes on in the next pass; its last piece gives the first token. A pass of d
/// requests in flight and p tokens of prompts takes
///
///     t = token(d) + rows(d + p) - rows(d) + p / prompt * attention
///
/// with token(d) a pass without prompts, rows(n) all of a pass of n tokens but attention and the vocabulary.
/// Requests come evenly and are of the mean length; a rate that the server cannot keep leaves them waiting
/// for a place. Reading a prompt's earlier pieces again is left out. That prompts are cut is an assumption
/// where a server is not asked to.
#include <vector>

#include "sim/quantity.hpp"

namespace rackcast {

struct GenerationLoad {
  /// Time of one token for 1, 2, 4, 8 ... requests in flight; at least one. In between it is interpolated.
  std::vector<Duration> token;
  std::vector<Duration> rows;    ///< the same for 1, 2, 4, 8 ... tokens of any kind; at least one
  Duration attention{0};         ///< of one prompt, with what else it takes beside rows
  double prompt = 1;             ///< tokens
  double tokens_per_pass = 1e6;  ///< of prompts and requests in flight together
  int output = 1;                ///< tokens of an answer
  int places = 1;                ///< requests in flight at most
  int requests = 1;              ///< that come in all
  Duration between{0};           ///< two arrivals; 0: all come at once
};

/// From the first arrival to the last token. Throws Error where a number is not positive.
Duration time_to_answer_all(const GenerationLoad& load);

}  // namespace rackcast
