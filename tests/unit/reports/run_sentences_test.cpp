// How a training runs, in words.
#include "reports/sentences/run_sentences.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace rackcast;

TEST_CASE("the sentence of a step says what is hidden, what the bubble takes, and whether steps repeat") {
  reports::StepBreakdown step;
  step.total_s = 2;
  step.all_reduce_busy_s = 1;
  step.binds = "GPU compute";
  step.parts = {{"forward", 1}, {"pipeline bubble", 0.5}, {"all-reduce, exposed", 0.25}};
  CHECK(reports::step_text(step) ==
        "One step takes 2 s; it is bound by GPU compute. 75 % of the all-reduce is hidden behind "
        "back-propagation. The pipeline fills and drains for 500 ms, 25 % of it: the bubble.");
  step.parts = {{"exchange of table vectors", 1}};
  step.simulated_steps = 7;
  step.no_timeline = "There is no timeline.";
  CHECK(reports::step_text(step) ==
        "One step takes 2 s; it is bound by GPU compute. 100 % of the all-reduce is hidden behind "
        "back-propagation. The exchange of table vectors takes 1 s, 50 % of it, and is not hidden. Steps do "
        "not repeat: 7 were simulated, and the figures of a step are the mean over their last half. There is "
        "no timeline.");
}

TEST_CASE("the sentence of the data's way names its bottleneck, and what the storage is asked for") {
  reports::InputPath input;
  input.binds = "storage read";
  input.next = "decoding";
  input.next_ratio = 1.5;
  input.funnel = {{"storage read", 1000}, {"decoding", 1500}};
  input.required_bytes_per_s = 2e9;
  input.available_bytes_per_s = 1e9;
  CHECK(reports::input_text(input) ==
        "Bottleneck in the first epoch: storage read with 1000 samples/s; the next, decoding, "
        "passes 1.5 times as many. Busy GPUs read 2 GB/s from storage, which can deliver 1 GB/s.");
}

TEST_CASE("the sentence of the critical path sums up what several streams do, and leaves out what is short") {
  reports::Timeline timeline;
  timeline.length = 2;
  timeline.path = {{"forward", "Stage 1 of 2, kernels", 0.7},
                   {"backward", "Stage 1 of 2, kernels", 0.6},
                   {"backward", "Stage 2 of 2, kernels", 0.6},
                   {"update", "Stage 1 of 2, kernels", 0.09},
                   {"from another stage", "Stage 2 of 2, kernels", 0.01}};
  CHECK(reports::path_text(timeline) ==
        "The critical path, the chain of tasks that sets the time of this step: 60 % backward (several "
        "streams), 35 % forward (Stage 1 of 2, kernels), 4.5 % update (Stage 1 of 2, kernels). Shorter tasks "
        "elsewhere would not shorten the step, but where they share a link with these.");
}
