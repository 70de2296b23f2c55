#pragma once
/// Starvation: the share of the time in which a GPU waits for a loader whose batches take varying times.
///
/// With batches that take exactly their mean time, the slower of loader and GPU sets the pace. Thread-queue
/// loaders do not: cores are shared with the driver, the reader and the operating system. Loader and trainer
/// are then a queue with one server and places for `prefetch` ready batches and the one in work. With
/// exponential times (M/M/1/K; Gross & Harris, "Fundamentals of Queueing Theory", 2.5), r = loader rate /
/// trainer rate:
///
///   share of time without a batch  p0 = (1 - r) / (1 - r^(K+1)),   K = prefetch + 1;   1/(K+1) at r = 1
///
/// Exponential times vary more than those of a real loader, and constant times less, so the two models
/// bracket it.
namespace rackcast {

/// Fraction of the trainer's rate that is left, 1 - p0, never above r. Throws Error for a rate that is not
/// positive or a prefetch below 1.
double fed_fraction(double loader_rate, double trainer_rate, int prefetch);

}  // namespace rackcast
