#pragma once
/// The shape of what flows between two layers, for one sample.
#include <cstdint>
#include <string>

namespace rackcast {

struct TensorShape {
  enum class Kind { image, volume, tokens, vector };

  Kind kind = Kind::vector;
  std::int64_t channels = 0;                      ///< features of a token or a vector
  std::int64_t depth = 1, height = 1, width = 1;  ///< tokens: height is the length of the sequence
  std::int64_t items = 1;                         ///< regions of interest within one sample (detectors)

  static TensorShape image(std::int64_t height, std::int64_t width, std::int64_t channels);
  static TensorShape volume(std::int64_t depth, std::int64_t height, std::int64_t width,
                            std::int64_t channels);
  static TensorShape tokens(std::int64_t length, std::int64_t features);
  static TensorShape vector(std::int64_t features);

  [[nodiscard]] TensorShape with_channels(std::int64_t n) const;
  [[nodiscard]] std::int64_t positions() const { return items * depth * height * width; }
  [[nodiscard]] double elements() const;
  [[nodiscard]] bool is_spatial() const { return kind == Kind::image || kind == Kind::volume; }
  [[nodiscard]] std::string text() const;  ///< "56x56x256", "128x128x128x32", "512 tokens x 768", "1000"

  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

}  // namespace rackcast
