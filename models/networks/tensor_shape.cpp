#include "models/networks/tensor_shape.hpp"

namespace rackcast {

TensorShape TensorShape::image(std::int64_t height, std::int64_t width, std::int64_t channels) {
  return {.kind = Kind::image, .channels = channels, .height = height, .width = width};
}

TensorShape TensorShape::volume(std::int64_t depth, std::int64_t height, std::int64_t width,
                                std::int64_t channels) {
  return {.kind = Kind::volume, .channels = channels, .depth = depth, .height = height, .width = width};
}

TensorShape TensorShape::tokens(std::int64_t length, std::int64_t features) {
  return {.kind = Kind::tokens, .channels = features, .height = length};
}

TensorShape TensorShape::vector(std::int64_t features) {
  return {.channels = features};
}

TensorShape TensorShape::with_channels(std::int64_t n) const {
  TensorShape other = *this;
  other.channels = n;
  return other;
}

double TensorShape::elements() const {
  return static_cast<double>(channels) * static_cast<double>(items) * static_cast<double>(depth) *
         static_cast<double>(height) * static_cast<double>(width);
}

std::string TensorShape::text() const {
  const std::string prefix = items == 1 ? "" : std::to_string(items) + " x ";
  const std::string plane =
      std::to_string(height) + "x" + std::to_string(width) + "x" + std::to_string(channels);
  switch (kind) {
    case Kind::image:
      return prefix + plane;
    case Kind::volume:
      return prefix + std::to_string(depth) + "x" + plane;
    case Kind::tokens:
      return prefix + std::to_string(height) + " tokens x " + std::to_string(channels);
    case Kind::vector:
      break;
  }
  return prefix + std::to_string(channels);
}

}  // namespace rackcast
