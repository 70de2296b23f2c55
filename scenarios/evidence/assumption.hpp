#pragma once
/// What an answer takes for granted, with where it comes from.
#include <string>

namespace rackcast {

struct Assumption {
  std::string name, value, source, confidence, where;
};

}  // namespace rackcast
