#pragma once
/// Results as their reports tell them.
#include <string>

#include "reports/result/result.hpp"
#include "reports/sentences/answer_sentences.hpp"

namespace rackcast {

template <class Result>
reports::ResultDocument document_of(const Result& result) {
  return reports::load_result(to_json_text(result), "result");
}

template <class Result>
std::string answer_sentence(const Result& result) {
  return reports::answer_text(document_of(result));
}

/// Why a limit of the answer is not kept; empty where it is.
template <class Result>
std::string conflict_sentence(const Result& result, std::string_view limit) {
  const reports::ResultDocument document = document_of(result);
  for (const reports::Answer::Conflict& c : document.answer.conflicts)
    if (c.constraint == limit) return reports::conflict_text(document, c);
  return {};
}

}  // namespace rackcast
