#pragma once
/// Choices among computed answers; reports/html/what_if.js shows the chosen one.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// A form with the choices and all outcomes; empty where the outcomes are not those of every combination.
std::string html_what_if(const WhatIf& what_if);

}  // namespace rackcast::reports
