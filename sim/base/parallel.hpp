#pragma once
/// Independent pieces of work on several threads of oneTBB.
#include <cstddef>
#include <functional>

namespace rackcast {

/// Threads that this process may run at once: its cores.
int available_threads();

/// Does `body(item, slot)` for every item in [0, count), on at most `threads` threads (0: one per core), the
/// caller's among them. Items are taken in ascending order. A slot, in [0, threads), is never used by two
/// threads at once, so what is kept per slot needs no lock. Of exceptions of the body one is thrown again
/// here, when the items under way are over; no further item is begun. Where so many threads cannot be started
/// the caller's does everything. `body` must not call this function.
void in_parallel(std::size_t count, int threads,
                 const std::function<void(std::size_t item, std::size_t slot)>& body);

}  // namespace rackcast
