#pragma once
/// Memory for coroutine frames: free lists by size class over large chunks, owned by one engine.
///
/// A process that starts a helper coroutine per message would otherwise call malloc twice per message. Frames
/// are small and die young, so a free list per 64-byte class serves nearly all from cache. Not thread-safe:
/// one engine runs on one thread.
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace rackcast {

class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  /// 16-byte aligned memory that release() takes back; `pool` may be null (plain operator new).
  static void* allocate(std::size_t size, FramePool* pool);
  static void release(void* memory) noexcept;

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  static constexpr std::size_t step = 64;
  static constexpr std::size_t class_count = 32;  ///< up to 2 KiB; larger frames go to operator new
  static constexpr std::size_t chunk_size = std::size_t{1} << 16;

  /// Blocks start at cache lines, so that a frame touches as few of them as it can.
  struct alignas(64) Chunk {
    std::byte bytes[chunk_size];
  };

  void* take(std::size_t size_class);

  std::array<FreeBlock*, class_count> free_{};
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t chunk_used_ = chunk_size;
};

}  // namespace rackcast
