#include <doctest/doctest.h>

#include <string>

#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

Workload of_image(const std::string& size, const std::string& layers) {
  const std::string text = R"({"title": "t", "task": "t", "source": "s", "input": {"image": )" + size +
                           "}, \"layers\": [" + layers + "]}";
  return read_workload(parse_json(text, "test.json"), "test", {});
}

TEST_CASE("a gate of channels has two dense layers on their means") {
  // 8 channels, a hidden width of 8 / 4 = 2: weights 16 + 2 and 16 + 8; FLOPs 2 * 16 each, once for the
  // image.
  const Workload w = of_image("[6, 6, 8]", R"({"squeeze_excite": 1, "of": 4})");
  CHECK(w.parameters() == 16 + 2 + 16 + 8);
  CHECK(w.forward_flop() == Flop{64});
  CHECK(w.operators.back().output == "6x6x8");
  CHECK(w.operators.back().shape.elements_in == 6 * 6 * 8 + 8);
  CHECK(of_image("[6, 6, 8]", R"({"squeeze_excite": 3})").parameters() == 24 + 3 + 24 + 8);
}

TEST_CASE("attention within windows pads the image to whole windows") {
  // 6 x 5 positions in windows of 4: padded to 8 x 8, four windows of 16 tokens. Width 8, two heads of 4.
  // Weights 8 * 24 + 24 and 8 * 8 + 8; a bias for each head and each of 7 * 7 distances.
  const Workload w = of_image("[6, 5, 8]", R"({"window_attention": 2, "window": 4}, "relu")");
  CHECK(w.parameters() == 8 * 24 + 24 + 8 * 8 + 8 + 2 * 49);
  // Projections 2 * 64 * 8 * 32; scores and their product with the values 4 * 64 tokens * 16 keys * 8.
  CHECK(w.forward_flop() == Flop{2.0 * 64 * 8 * 32 + 4.0 * 64 * 16 * 8});
  CHECK(w.operators.back().output == "6x5x8");
  CHECK(w.operators[2].shape.heads == 2 * 4);  // behind the copy in the order of windows and the projection
  CHECK(w.operators[2].shape.seq == 16);
  // A shift rolls the image there and back.
  const Workload shifted =
      of_image("[6, 5, 8]", R"({"window_attention": 2, "window": 4, "shift": true}, "relu")");
  CHECK(shifted.operators.size() == w.operators.size() + 2);
  CHECK(shifted.parameters() == w.parameters());
  CHECK_THROWS_WITH_AS(of_image("[6, 5, 8]", R"({"window_attention": 3, "window": 4})"),
                       doctest::Contains("divisible by heads=3"), Error);
}

TEST_CASE("a dense layer on every pixel is a product, with the weights and FLOPs of a 1x1 convolution") {
  const Workload dense = of_image("[6, 5, 8]", R"({"widen": 4, "kernel": 1, "dense": true}, "relu")");
  const Workload conv = of_image("[6, 5, 8]", R"({"widen": 4, "kernel": 1}, "relu")");
  CHECK(dense.operators.front().family == OperatorFamily::gemm);
  CHECK(conv.operators.front().family == OperatorFamily::conv);
  CHECK(dense.parameters() == conv.parameters());
  CHECK(dense.forward_flop() == conv.forward_flop());
  CHECK(dense.operators.front().shape.rows == 30);
  CHECK(dense.operators.back().output == "6x5x32");
  for (const char* layer : {R"({"conv": 8, "kernel": 3, "pad": 1, "dense": true})",
                            R"({"conv": 8, "kernel": 1, "stride": 2, "dense": true})",
                            R"({"conv": 8, "kernel": 1, "groups": 2, "dense": true})"}) {
    CAPTURE(layer);
    CHECK_THROWS_WITH_AS(of_image("[6, 6, 8]", layer), doctest::Contains("\"dense\" needs an image"), Error);
  }
}

TEST_CASE("a chain stacks its input and every result") {
  // 4 channels, then three times the last 2 through a convolution to 2: 4 + 3 * 2 channels.
  const Workload w =
      of_image("[4, 4, 4]",
               R"({"chain": [{"last_channels": 2}, {"conv": 2, "kernel": 1, "bias": false}], "times": 3})");
  CHECK(w.operators.back().output == "4x4x10");
  CHECK(w.parameters() == 3 * 4);
  CHECK_THROWS_WITH_AS(of_image("[4, 4, 4]", R"({"last_channels": 5})"),
                       doctest::Contains("cannot take 5 channels"), Error);
}

TEST_CASE("squares of pixels become channels") {
  const Workload w = of_image("[8, 6, 3]", R"({"space_to_depth": 2})");
  CHECK(w.operators.back().output == "4x3x12");
  CHECK(w.parameters() == 0);
  CHECK_THROWS_WITH_AS(of_image("[7, 6, 3]", R"({"space_to_depth": 2})"),
                       doctest::Contains("into squares of 2"), Error);
}

TEST_CASE("a convolution can widen by a factor, and a scale holds a number for each channel") {
  const Workload w = of_image("[4, 4, 3]", R"({"widen": 4, "kernel": 3, "pad": 1}, "channel_scale")");
  // 3 * 9 * 12 weights and 12 biases; 12 scales
  CHECK(w.parameters() == 3 * 9 * 12 + 12 + 12);
  CHECK(w.operators.back().output == "4x4x12");
}

}  // namespace
}  // namespace rackcast
