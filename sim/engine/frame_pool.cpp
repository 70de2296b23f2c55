#include "sim/engine/frame_pool.hpp"

#include <new>

namespace rackcast {

namespace {

/// In front of every frame: where it goes back to.
struct alignas(16) Header {
  FramePool* pool;
  std::size_t size_class;
};

}  // namespace

void* FramePool::allocate(std::size_t size, FramePool* pool) {
  const std::size_t total = size + sizeof(Header);
  const std::size_t size_class = (total - 1) / step;
  if (pool == nullptr || size_class >= class_count) {
    void* block = ::operator new (total, std::align_val_t{alignof(Header)});
    return new (block) Header{nullptr, 0} + 1;
  }
  return new (pool->take(size_class)) Header{pool, size_class} + 1;
}

void FramePool::release(void* memory) noexcept {
  Header* header = static_cast<Header*>(memory) - 1;
  FramePool* pool = header->pool;
  if (pool == nullptr) {
    ::operator delete (header, std::align_val_t{alignof(Header)});
    return;
  }
  const std::size_t size_class = header->size_class;
  pool->free_[size_class] = new (header) FreeBlock{pool->free_[size_class]};
}

void* FramePool::take(std::size_t size_class) {
  if (FreeBlock* block = free_[size_class]) {
    free_[size_class] = block->next;
    return block;
  }
  const std::size_t size = (size_class + 1) * step;
  if (chunk_used_ + size > chunk_size) {
    chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    chunk_used_ = 0;
  }
  void* block = chunks_.back()->bytes + chunk_used_;
  chunk_used_ += size;
  return block;
}

}  // namespace rackcast
