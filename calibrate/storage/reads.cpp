// Reads of the large file and of the small ones, and what a file costs besides its bytes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "calibrate/host/host_info.hpp"
#include "calibrate/host/team.hpp"
#include "calibrate/storage/storage_experiments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file_descriptor.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

constexpr std::size_t page = 4096;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<char, Free>;

Buffer aligned_buffer(std::size_t bytes) {
  return Buffer{static_cast<char*>(std::aligned_alloc(page, (bytes + page - 1) / page * page))};
}

[[noreturn]] void fail_io(const char* what) {
  throw Error{fmt::format("{}: {}", what, std::strerror(errno))};
}

int open_for_reading(const std::string& path, bool direct) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
  if (file < 0) fail_io("cannot open a test file");
  return file;
}

void read_fully(int file, char* to, std::size_t bytes, std::size_t offset) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(file, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail_io("cannot read a test file");
    done += static_cast<std::size_t>(got);
  }
}

struct ReadShape {
  bool random = false, warm = false;
  std::size_t block = 1 << 20;
  int depth = 1;
  std::size_t blocks = 64;  ///< of one sample
};

/// One window of the file, or as many random blocks, shared out among `depth` threads as they come.
class ReadTrial : public Trial {
 public:
  ReadTrial(std::shared_ptr<StorageArea> area, ReadShape shape, std::uint64_t seed)
      : area_(std::move(area)),
        shape_(shape),
        file_(open_for_reading(area_->large_file(), area_->facts().direct && !shape.warm)),
        random_(seed, "calibrate/reads"),
        team_(shape.depth) {
    for (int i = 0; i < shape.depth; ++i) buffers_.push_back(aligned_buffer(shape.block));
    places_ = static_cast<std::size_t>(area_->facts().file_size.base()) / shape.block;
    if (shape.warm) {
      for (std::size_t i = 0; i < places_; ++i)
        read_fully(file_.number(), buffers_[0].get(), shape.block, i * shape.block);
    }
  }

  double sample() override {
    if (!shape_.warm && !area_->facts().direct) ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_DONTNEED);
    choose_offsets();
    std::atomic<std::size_t> next{0};
    return team_.run([&](int i) {
      char* buffer = buffers_[static_cast<std::size_t>(i)].get();
      for (std::size_t at = next++; at < offsets_.size(); at = next++)
        read_fully(file_.number(), buffer, shape_.block, offsets_[at]);
    });
  }

 private:
  /// Sequential samples go on where the last one ended; the file is larger than one sample.
  void choose_offsets() {
    offsets_.clear();
    for (std::size_t i = 0; i < shape_.blocks; ++i) {
      const std::size_t place = shape_.random ? random_.below(places_) : position_++ % places_;
      offsets_.push_back(place * shape_.block);
    }
  }

  std::shared_ptr<StorageArea> area_;
  ReadShape shape_;
  FileDescriptor file_;
  RandomStream random_;
  Team team_;
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> offsets_;
  std::size_t places_ = 1, position_ = 0;
};

/// Opens, reads and closes small files, the next ones each time.
class SmallFileTrial : public Trial {
 public:
  SmallFileTrial(std::shared_ptr<StorageArea> area, int threads, int files)
      : area_(std::move(area)), files_(files), team_(threads) {
    for (int i = 0; i < threads; ++i) buffers_.push_back(aligned_buffer(small_file_bytes));
  }

  double sample() override {
    for (int i = 0; i < files_; ++i) {  // out of the page cache; direct reads would need whole sectors
      const FileDescriptor file{
          open_for_reading(area_->small_file((position_ + i) % area_->small_files()), false)};
      ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
    }
    std::atomic<int> next{0};
    const double seconds = team_.run([&](int thread) {
      for (int i = next++; i < files_; i = next++) {
        const FileDescriptor file{
            open_for_reading(area_->small_file((position_ + i) % area_->small_files()), false)};
        read_fully(file.number(), buffers_[static_cast<std::size_t>(thread)].get(), small_file_bytes, 0);
      }
    });
    position_ = (position_ + files_) % area_->small_files();
    return seconds;
  }

 private:
  std::shared_ptr<StorageArea> area_;
  int files_;
  int position_ = 0;
  Team team_;
  std::vector<Buffer> buffers_;
};

/// Creates, looks up and removes empty files: what a checkpoint or an unpacked archive asks of a server.
class MetadataTrial : public Trial {
 public:
  MetadataTrial(std::shared_ptr<StorageArea> area, int files) : area_(std::move(area)), files_(files) {}

  double sample() override {
    const double begin = steady_seconds();
    for (int i = 0; i < files_; ++i) {
      const FileDescriptor file{::open(name(i).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
      if (file.number() < 0) fail_io("cannot create a file");
    }
    struct stat info {};
    for (int i = 0; i < files_; ++i)
      if (::stat(name(i).c_str(), &info) != 0) fail_io("cannot look up a file");
    for (int i = 0; i < files_; ++i)
      if (::unlink(name(i).c_str()) != 0) fail_io("cannot remove a file");
    return steady_seconds() - begin;
  }

 private:
  [[nodiscard]] std::string name(int i) const { return fmt::format("{}/empty{}", area_->folder(), i); }

  std::shared_ptr<StorageArea> area_;
  int files_;
};

Experiment start(const StorageArea& area, const std::string& kind, const std::string& rest) {
  Experiment e;
  e.about.kind = kind;
  e.about.device = area.facts().label;
  e.about.id = fmt::format("{}/{}/{}", kind, area.facts().label, rest);
  e.about.labels["filesystem"] = area.facts().filesystem;
  e.conditions = [] {
    return cpu_conditions();
  };
  e.warm_up = 1;
  return e;
}

Experiment read_experiment(const std::shared_ptr<StorageArea>& area, ReadShape shape, std::uint64_t seed) {
  const std::string pattern = shape.random ? "random" : "sequential", cache = shape.warm ? "warm" : "cold";
  Experiment e = start(*area, "storage_read",
                       fmt::format("{}/{}/block{}/depth{}", pattern, cache, shape.block, shape.depth));
  e.about.numbers = {{"block_bytes", double(shape.block)}, {"depth", shape.depth}};
  e.about.labels["pattern"] = pattern;
  e.about.labels["cache"] = cache;
  e.about.labels["direct"] = area->facts().direct && !shape.warm ? "yes" : "no";
  e.about.amount = double(shape.block) * double(shape.blocks);
  e.about.amount_unit = "B";
  e.prepare = [=] {
    return std::make_unique<ReadTrial>(area, shape, seed);
  };
  return e;
}

}  // namespace

std::vector<Experiment> storage_experiments(const std::shared_ptr<StorageArea>& area, std::uint64_t seed) {
  std::vector<Experiment> out;
  for (const int depth : {1, 4, 16})
    out.push_back(read_experiment(area, {.block = 1 << 20, .depth = depth}, seed));
  out.push_back(read_experiment(area, {.warm = true, .block = 1 << 20}, seed));
  for (const int depth : {1, 4, 16, 64}) {
    out.push_back(
        read_experiment(area, {.random = true, .block = 4096, .depth = depth, .blocks = 512}, seed));
    out.push_back(
        read_experiment(area, {.random = true, .block = 131072, .depth = depth, .blocks = 256}, seed));
  }
  for (const int threads : {1, 8}) {
    const int files = std::min(64, area->small_files());
    Experiment e = start(*area, "small_files", fmt::format("threads{}", threads));
    e.about.numbers = {{"threads", threads}, {"file_bytes", double(small_file_bytes)}};
    e.about.amount = files;
    e.about.amount_unit = "files";
    e.prepare = [=] {
      return std::make_unique<SmallFileTrial>(area, threads, files);
    };
    out.push_back(std::move(e));
  }
  constexpr int files = 200;
  Experiment metadata = start(*area, "metadata", "create_stat_unlink");
  metadata.about.amount = files;
  metadata.about.amount_unit = "files";
  metadata.prepare = [=] {
    return std::make_unique<MetadataTrial>(area, files);
  };
  out.push_back(std::move(metadata));
  return out;
}

}  // namespace rackcast
