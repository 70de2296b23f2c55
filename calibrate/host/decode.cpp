// JPEG decoding, as input pipelines of image networks do it. The images are made here: smooth shapes with
// noise, so that their compressed size is that of photographs (some 100 kB at 500 x 375, quality 90).
#include "calibrate/host/host_experiments.hpp"

#ifdef RACKCAST_HAVE_TURBOJPEG
#include <fmt/format.h>
#include <turbojpeg.h>

#include <cmath>

#include "calibrate/host/host_info.hpp"
#include "calibrate/host/team.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

constexpr int quality = 90;
constexpr int images_per_thread = 8;  ///< different ones, 4 MB of pixels: beyond the first caches

struct ImageSize {
  int width, height;
};
constexpr ImageSize sizes[] = {{500, 375}, {256, 256}, {1280, 720}};

using Pixels = std::vector<unsigned char>;

/// Waves of a few pixels to the whole width, and noise of a camera.
Pixels make_image(ImageSize size, RandomStream& random) {
  struct Wave {
    double x, y, phase, height;
  };
  std::vector<Wave> waves;
  for (double length = 4; length < size.width; length *= 1.7) {
    const double angle = random.uniform(0, 6.283185307), k = 6.283185307 / length;
    waves.push_back(
        {k * std::cos(angle), k * std::sin(angle), random.uniform(0, 6.283185307), 4 + length / 12});
  }
  Pixels pixels;
  pixels.reserve(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      double light = 128;
      for (const Wave& w : waves) light += w.height * std::sin(w.x * x + w.y * y + w.phase);
      for (int channel = 0; channel < 3; ++channel) {
        const double value = light + 12 * (channel - 1) + 5 * random.uniform(-1, 1);
        pixels.push_back(static_cast<unsigned char>(std::fmin(std::fmax(value, 0.0), 255.0)));
      }
    }
  }
  return pixels;
}

struct Handle {
  explicit Handle(tjhandle h) : handle(h) {
    if (!h) throw Error{"libjpeg-turbo cannot start"};
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { tjDestroy(handle); }
  tjhandle handle;
};

Pixels encode(const Pixels& pixels, ImageSize size) {
  const Handle codec{tjInitCompress()};
  unsigned char* bytes = nullptr;
  unsigned long length = 0;
  const int code = tjCompress2(codec.handle, pixels.data(), size.width, 0, size.height, TJPF_RGB, &bytes,
                               &length, TJSAMP_420, quality, 0);
  Pixels out;
  if (code == 0) out.assign(bytes, bytes + length);
  tjFree(bytes);
  if (code != 0) throw Error{fmt::format("libjpeg-turbo cannot encode: {}", tjGetErrorStr2(codec.handle))};
  return out;
}

class DecodeTrial : public Trial {
 public:
  DecodeTrial(ImageSize size, int threads, std::uint64_t seed) : size_(size), team_(threads) {
    RandomStream random{seed, "calibrate/images"};
    for (int i = 0; i < images_per_thread; ++i) {
      originals_.push_back(make_image(size, random));
      encoded_.push_back(encode(originals_.back(), size));
    }
    for (int i = 0; i < threads; ++i) {
      codecs_.push_back(std::make_unique<Handle>(tjInitDecompress()));
      outputs_.emplace_back(originals_.front().size());
    }
  }

  double sample() override {
    return team_.run([this](int i) {
      const auto index = static_cast<std::size_t>(i);
      for (const Pixels& jpeg : encoded_) decode(codecs_[index]->handle, jpeg, outputs_[index]);
    });
  }

  [[nodiscard]] bool verifies() const override { return true; }

  /// Mean squared difference to the image that was encoded; JPEG of this quality stays well below 100.
  std::string verify() override {
    for (const Pixels& output : outputs_) {
      double sum = 0;
      for (std::size_t i = 0; i < output.size(); ++i) {
        const double d = double(output[i]) - double(originals_.back()[i]);
        sum += d * d;
      }
      if (sum > 100 * static_cast<double>(output.size()))
        return "decoded pixels are not those that were encoded";
    }
    return {};
  }

 private:
  void decode(tjhandle codec, const Pixels& jpeg, Pixels& output) const {
    if (tjDecompress2(codec, jpeg.data(), static_cast<unsigned long>(jpeg.size()), output.data(), size_.width,
                      0, size_.height, TJPF_RGB, 0) != 0)
      throw Error{fmt::format("libjpeg-turbo cannot decode: {}", tjGetErrorStr2(codec))};
  }

  ImageSize size_;
  Team team_;
  std::vector<Pixels> originals_, encoded_, outputs_;
  std::vector<std::unique_ptr<Handle>> codecs_;
};

double encoded_bytes(ImageSize size, std::uint64_t seed) {
  RandomStream random{seed, "calibrate/images"};
  return static_cast<double>(encode(make_image(size, random), size).size());
}

}  // namespace

bool can_decode() {
  return true;
}

std::vector<Experiment> decode_experiments(const HostPlan& plan) {
  std::vector<Experiment> out;
  for (const ImageSize size : sizes) {
    for (const int threads : thread_steps(plan.threads)) {
      Experiment e;
      e.about.kind = "jpeg_decode";
      e.about.device = "cpu";
      e.about.id = fmt::format("jpeg_decode/{}x{}/threads{}", size.width, size.height, threads);
      e.about.numbers = {{"width", size.width},
                         {"height", size.height},
                         {"threads", threads},
                         {"encoded_bytes", encoded_bytes(size, plan.seed)}};
      e.about.labels = {{"library", "libjpeg-turbo"}, {"sampling", "4:2:0"}};
      e.about.amount = images_per_thread * threads;
      e.about.amount_unit = "images";
      e.prepare = [=, seed = plan.seed] {
        return std::make_unique<DecodeTrial>(size, threads, seed);
      };
      e.conditions = [] {
        return cpu_conditions();
      };
      out.push_back(std::move(e));
    }
  }
  return out;
}

}  // namespace rackcast
#else
namespace rackcast {

bool can_decode() {
  return false;
}

std::vector<Experiment> decode_experiments(const HostPlan&) {
  return {};
}

}  // namespace rackcast
#endif
