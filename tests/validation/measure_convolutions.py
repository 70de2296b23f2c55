"""Times convolutions of cuDNN as PyTorch calls them on one GPU: calibrate/data/own_h200/conv_16.csv and conv_tf32.csv.

    python3 tests/validation/measure_convolutions.py > convolutions.csv

Needs PyTorch. Each of the three passes is timed by itself after cuDNN's search for the fastest kernel, channels last, as
a CUDA graph of calls on buffers that rotate through more than the caches hold. A row is the median of five replays and
their least and most, in microseconds. About two minutes on an H200.
"""
import statistics
import sys
import time

import torch

RESNET = [(64, 56, 64, 1, 1), (64, 56, 64, 3, 1), (64, 56, 256, 1, 1), (256, 56, 64, 1, 1), (256, 56, 128, 1, 1),
          (128, 56, 128, 3, 2), (128, 28, 512, 1, 1), (256, 56, 512, 1, 2), (512, 28, 128, 1, 1), (128, 28, 128, 3, 1),
          (512, 28, 256, 1, 1), (256, 28, 256, 3, 2), (256, 14, 1024, 1, 1), (512, 28, 1024, 1, 2),
          (1024, 14, 256, 1, 1), (256, 14, 256, 3, 1), (1024, 14, 512, 1, 1), (512, 14, 512, 3, 2),
          (512, 7, 2048, 1, 1), (1024, 14, 2048, 1, 2), (2048, 7, 512, 1, 1), (512, 7, 512, 3, 1)]
OTHERS = [(n, c, size, k, filter, stride) for n in (16, 64) for c, size, k, filter, stride in
          [(3, 224, 64, 7, 2), (64, 224, 64, 3, 1), (64, 112, 128, 3, 1), (256, 56, 256, 3, 1), (512, 28, 512, 3, 1),
           (64, 35, 96, 3, 1), (192, 35, 64, 5, 1), (32, 112, 16, 1, 1), (96, 56, 24, 1, 1), (960, 7, 320, 1, 1),
           (256, 100, 256, 3, 1), (256, 50, 256, 3, 1)]]
SHAPES = [(n, *shape) for n in (256, 64, 16, 1) for shape in RESNET] + OTHERS
CACHE = 256 << 20  # bytes that buffers rotate through, several times an L2
DEADLINE = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 1e9)


def graph_of(calls, repeats):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls[:2]:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(repeats):
            calls[i % len(calls)]()
    return graph


def microseconds(calls):
    calls[0]()  # the search
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    calls[-1]()
    end.record()
    torch.cuda.synchronize()
    repeats = max(len(calls), min(50, int(2000 / max(1.0, 1e3 * begin.elapsed_time(end)))), 4)
    graph = graph_of(calls, repeats)
    graph.replay()
    samples = []
    for _ in range(5):
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        samples.append(1e3 * begin.elapsed_time(end) / repeats)
    return samples


def measure(shape, kind, name):
    n, c, size, k, filter, stride = shape
    pad = filter // 2
    out = (size + 2 * pad - filter) // stride + 1
    each = (n * (c * size * size + k * out * out) + k * c * filter * filter) * kind.itemsize
    copies = max(1, min(12, CACHE // each))
    make = lambda *sizes: [torch.randn(*sizes, device="cuda", dtype=kind).to(memory_format=torch.channels_last)
                           for _ in range(copies)]
    x, w, y = make(n, c, size, size), make(k, c, filter, filter), make(n, k, out, out)
    settings = dict(stride=[stride] * 2, padding=[pad] * 2, dilation=[1, 1])
    forward = [lambda x=x[i], w=w[i]: torch.nn.functional.conv2d(x, w, None, stride, pad) for i in range(copies)]

    def backward(mask):
        return [lambda x=x[i], w=w[i], y=y[i]: torch.ops.aten.convolution_backward(
            y, x, w, None, settings["stride"], settings["padding"], settings["dilation"], False, [0, 0], 1, mask)
                for i in range(copies)]

    passes = {"forward": forward, "data_gradient": backward([True, False, False]),
              "weight_gradient": backward([False, True, False])}
    for which, calls in passes.items():
        if c == 3 and which == "data_gradient":
            continue
        samples = microseconds(calls)
        print(name, n, c, size, size, k, filter, filter, pad, pad, stride, stride, which,
              *(f"{v:.5g}" for v in (statistics.median(samples), min(samples), max(samples))), sep=",", flush=True)


def main():
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    print("arithmetic,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,pass,time_us,least_us,most_us")
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}",
          file=sys.stderr)
    for name, kind in (("tensor", torch.float16), ("tf32", torch.float32)):
        for shape in SHAPES:
            if time.monotonic() > DEADLINE:
                return
            with torch.inference_mode():
                measure(shape, kind, name)


if __name__ == "__main__":
    main()
