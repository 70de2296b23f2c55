#pragma once
/// What an answer takes for granted, with where it comes from.
#include "scenarios/document/answer.hpp"
#include "topologies/catalog/fact.hpp"

namespace rackcast {

using doc::Assumption;
using Trust = Assumption::Confidence;

constexpr Trust trust_in(Confidence confidence) {
  return confidence == Confidence::verified ? Trust::verified : Trust::memory;
}

}  // namespace rackcast
