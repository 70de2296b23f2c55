#pragma once
/// A server of a language model that answers requests pass by pass.
///
/// In a pass every request in flight gets a token, and tokens of prompts fill the pass up (A. Agrawal et
/// al., "Sarathi-Serve", OSDI 2024: the products of both are one, so weights are read once). A prompt that
/// does not fit is cut and goes on in the next pass; its last piece gives the first token. A pass of d
/// requests in flight and p tokens of prompts takes
///
///     t(d, p) = token(d) + rows(d + p) - rows(d) + p / prompt * attention
///
/// with token(d) a pass without prompts, rows(n) all of a pass of n tokens but attention and the vocabulary.
/// Requests are of the mean length. Reading a prompt's earlier pieces again is left out. Servers cut prompts
/// only where their configuration says so; here all servers are assumed to.
#include <cstdint>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct GenerationLoad {
  /// Time of one token for 1, 2, 4, 8 ... requests in flight; at least one. In between it is interpolated.
  std::vector<Duration> token;
  std::vector<Duration> rows;    ///< the same for 1, 2, 4, 8 ... tokens of any kind; at least one
  Duration attention{0};         ///< of one prompt, with what else it takes beside rows
  double prompt = 1;             ///< tokens
  double tokens_per_pass = 1e6;  ///< of prompts and requests in flight together
  double beams = 1;              ///< tokens of a request in flight in a pass
  double output = 1;             ///< tokens of an answer; a run of requests takes a whole number of them
  int places = 1;                ///< requests in flight at most
  int requests = 1;              ///< that come in all
  Duration between{0};           ///< two arrivals; 0: all come at once
};

/// Throws Error where a number is not positive.
void check_load(const GenerationLoad& load);

/// Time of a pass with `requests` requests in flight and `prompt_tokens` tokens of prompts.
Duration pass_time(const GenerationLoad& load, double requests, double prompt_tokens);

/// Time from the first arrival to the last token. Requests come at equal intervals. If they come faster than
/// the server answers, they wait for a place. Throws Error where a number is not positive.
Duration time_to_answer_all(const GenerationLoad& load);

/// Times of each request, in the order of arrival.
struct GenerationRun {
  std::vector<Duration> first;   ///< from arrival to the first token
  std::vector<Duration> token;   ///< per further token, mean over the answer
  std::vector<Duration> answer;  ///< from arrival to the last token
  Duration end{0};               ///< from time 0 to the last token of all
  Duration busy{0};              ///< the server worked
  double in_flight = 0;          ///< requests with a place, mean over the busy time
};
/// Times of requests that arrive at these ascending times; `requests` and `between` of the load are not read.
/// Throws Error where a number is not positive.
GenerationRun answer_arrivals(const GenerationLoad& load, const std::vector<Duration>& arrivals);

/// The steady state of a server that keeps `requests` in flight: whenever one is done the next one begins.
///
/// Per answer of o tokens the server takes o - 1 passes for further tokens and, for the prompt, u times as
/// long as one of these. While a request decodes, of the n - 1 others
///
///     d - 1 = (n - 1) (o - 1) / (o - 1 + u)   decode as well, and
///     q     = (n - 1) / (o - 1 + u)           prompts come into a pass on average.
///
/// A prompt comes whole as far as a pass has room, so a share of the passes is longer by a prompt, and the
/// time per output token is their mean. The time to the first token is that of the passes that hold a prompt
/// with what comes beside it; where passes have no room for q prompts, requests wait for it, and u grows
/// until they have. So Little's law holds: requests in flight = rate x (first + (o - 1) token).
struct GenerationSteady {
  Duration first{0};  ///< from a place to the first token
  Duration token{0};  ///< per further token, the share of passes spent on other prompts included
  Frequency rate{0};  ///< requests answered
};
/// Throws Error where a number is not positive.
GenerationSteady steady_generation(const GenerationLoad& load, double requests);

}  // namespace rackcast
