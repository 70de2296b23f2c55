#pragma once
/// The answer of a result in words.
#include <string>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// The title of the workload that trains this network, or the network's own name.
std::string title_of_model(const ResultDocument& document, const std::string& model);

/// "64 GPUs", or "8 of 40 GPUs" where others of the nodes take no part.
std::string gpus_text(const Answer& answer);

/// The answer in one or two sentences.
std::string answer_text(const ResultDocument& document);

/// The answer to one of the workloads, each of which is on its own.
std::string workload_text(const ResultDocument& document, const WorkloadResult& workload);

/// How several workloads share cluster and deadline, with what the other premise would come to; empty of one.
std::string premise_text(const ResultDocument& document);

/// Why a limit is not kept.
std::string conflict_text(const ResultDocument& document, const Answer::Conflict& conflict);

/// Why not fewer nodes than `answer`; `why` is of it.
std::string why_not_fewer_text(const ResultDocument& document, const Answer& answer,
                               const Answer::WhyNotFewer& why);

/// What another input makes of `answer`; `change` is of it.
std::string change_text(const ResultDocument& document, const Answer& answer, const Answer::Change& change);

}  // namespace rackcast::reports
