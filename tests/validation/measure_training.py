"""Times training steps and inference of eager PyTorch on one GPU: what own_h200.json holds.

    python3 tests/validation/measure_training.py > steps.jsonl

Needs PyTorch, torchvision and transformers. Data are random and stay on the GPU. A line of output is one configuration:
the median of three series of steps (seconds), the fastest and slowest series, the time that the host takes to enqueue
one step, samples per second and the peak of the allocator. About five minutes on an H200; most of it is cuDNN's search
for the fastest convolutions, which --benchmark switches on.
"""
import argparse
import json
import time

import torch
import torchvision
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

IMAGES = {  # network: [(batch, precision, channels last)]
    "resnet50": [(128, "fp32", False), (128, "tf32", False), (256, "tf32", False), (32, "mixed", True),
                 (128, "mixed", True), (256, "mixed", True), (256, "mixed", False), (128, "bf16", True)],
    "resnet101": [(128, "bf16", True)],
    "vgg16": [(64, "mixed", True), (64, "tf32", False)],
    "alexnet": [(256, "tf32", False)],
    "densenet121": [(64, "bf16", True)],
    "efficientnet_b0": [(128, "bf16", True)],
    "mobilenet_v2": [(128, "bf16", True)],
    "convnext_tiny": [(64, "bf16", True)],
    "swin_t": [(64, "bf16", False)],
    "vit_b_16": [(64, "fp32", False), (64, "tf32", False), (64, "mixed", False), (64, "bf16", False)],
}
TEXTS = {  # network: [(batch, precision, tokens)]
    "bert_base": [(32, "bf16", 384)],
    "bert_large": [(16, "fp32", 128), (16, "tf32", 128), (16, "mixed", 128), (16, "bf16", 128), (32, "bf16", 512)],
    "gpt2_small": [(8, "fp32", 1024), (8, "tf32", 1024), (8, "mixed", 1024), (8, "bf16", 1024)],
    "gpt2_medium": [(8, "bf16", 1024)],
}
INFERENCE = [(name, batch, precision) for name, batches in
             {"resnet50": (1, 8, 64, 256), "vit_b_16": (1, 64), "bert_base": (1, 32)}.items()
             for batch in batches for precision in ("tf32", "fp16")]
INFERENCE_TOKENS = 128


def text_network(name):
    if name.startswith("bert"):
        large = dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
        return BertForMaskedLM(BertConfig(**(large if name == "bert_large" else {}))), 30522
    width, layers, heads = {"gpt2_small": (768, 12, 12), "gpt2_medium": (1024, 24, 16)}[name]
    return GPT2LMHeadModel(GPT2Config(n_embd=width, n_layer=layers, n_head=heads)), 50257


def timed(step):
    """Median, least and most seconds of a step over three series, and seconds to enqueue one."""
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    step()
    torch.cuda.synchronize()
    count = max(5, min(60, int(0.4 / (time.perf_counter() - begin))))
    series = []
    for _ in range(3):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        series.append((time.perf_counter() - begin) / count)
    begin = time.perf_counter()
    step()
    enqueue = time.perf_counter() - begin
    torch.cuda.synchronize()
    least, median, most = sorted(series)
    return {"seconds": median, "low": least, "high": most, "host": enqueue}


def training_step(network, optimizer, loss, precision):
    short = {"mixed": torch.float16, "bf16": torch.bfloat16}.get(precision)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "mixed")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=short or torch.float16, enabled=short is not None):
            value = loss()
        scaler.scale(value).backward()
        scaler.step(optimizer)
        scaler.update()

    network.train()
    return step


def tell(what, step):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    times = timed(step)
    rate, peak = what["batch"] / times["seconds"], torch.cuda.max_memory_allocated()
    print(json.dumps({**what, **times, "per_s": rate, "peak": peak}), flush=True)


def image_data(network, batch, last):
    images = torch.randn(batch, 3, 224, 224, device="cuda")
    if last:
        return network.to(memory_format=torch.channels_last), images.to(memory_format=torch.channels_last)
    return network, images


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "fp32"


def measure_images(name, batch, precision, last):
    set_precision(precision)
    network, images = image_data(getattr(torchvision.models, name)(weights=None).cuda(), batch, last)
    classes, criterion = torch.randint(0, 1000, (batch,), device="cuda"), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.001, momentum=0.9, weight_decay=1e-4)
    tell({"model": name, "batch": batch, "precision": precision, "channels_last": last, "train": True},
         training_step(network, optimizer, lambda: criterion(network(images), classes), precision))


def measure_text(name, batch, precision, tokens):
    set_precision(precision)
    network, words = text_network(name)
    network, text = network.cuda(), torch.randint(0, words, (batch, tokens), device="cuda")
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-5)
    tell({"model": name, "batch": batch, "precision": precision, "seq": tokens, "train": True},
         training_step(network, optimizer, lambda: network(input_ids=text, labels=text).loss, precision))


def measure_inference(name, batch, precision):
    set_precision(precision)
    last = precision == "fp16" and not name.startswith("bert")
    if name.startswith("bert"):
        network, words = text_network(name)
        network, data = network.cuda(), torch.randint(0, words, (batch, INFERENCE_TOKENS), device="cuda")
    else:
        network, data = image_data(getattr(torchvision.models, name)(weights=None).cuda(), batch, last)
    network.eval()
    if precision == "fp16":
        network, data = network.half(), data.half() if data.is_floating_point() else data

    def step():
        with torch.inference_mode():
            network(data)

    tell({"model": name, "batch": batch, "precision": precision, "channels_last": last, "train": False}, step)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--benchmark", action="store_true", help="let cuDNN search for the fastest convolutions")
    torch.backends.cudnn.benchmark = parser.parse_args().benchmark
    torch.manual_seed(0)
    print(json.dumps({"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                      "gpu": torch.cuda.get_device_name()}))
    for table, measure in ((IMAGES, measure_images), (TEXTS, measure_text)):
        for name, settings in table.items():
            for setting in settings:
                measure(name, *setting)
    for setting in INFERENCE:
        measure_inference(*setting)


if __name__ == "__main__":
    main()
