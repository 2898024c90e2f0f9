# builds: bench_optimizer_phase
"""All that happens between backward and the next forward: bench_optimizer_phase and the same phase in PyTorch on the CPU.

Both sides run in turn, several rounds; a figure is the median of a side's medians. Theirs is GradScaler (f16 only),
clip_grad_norm_, the fused AdamW and a copy of the weights to 16 bits, in two styles:
  O2        16-bit gradients over float masters: they are copied to float first
  autocast  float weights and float gradients
Ours is one mixed_optimizer::step from 16-bit gradients, which is what either style's gradients are here.
"""
import argparse
import json
import statistics
import subprocess
import sys
import time

import torch

SHAPES = {"1e5": (100000, 1), "1e6": (1000000, 1), "1e7": (10000000, 1), "1000 x 1e4": (10000, 1000)}
LOW = {"f16": torch.float16, "bf16": torch.bfloat16}
# How many times PyTorch's speed is asked for.
ASKED = {"f16": {"O2": {"1e5": 5, "1e6": 3, "1e7": 2, "1000 x 1e4": 3}, "autocast": {"1e7": 1.8}}, "bf16": {"O2": {"1e7": 1.5}, "autocast": {}}}


def in_torch(elements, tensors, style, name, repeats):
    """Median seconds of one phase."""
    low = LOW[name]
    weights = [torch.full((elements,), 0.02).requires_grad_() for _ in range(tensors)]
    copies = [torch.empty(elements, dtype=low) for _ in range(tensors)]
    scale = 65536.0 if name == "f16" else 1.0
    left = [(torch.rand(elements) + 1) * 1e-3 * scale for _ in range(tensors)]
    left = [x.to(low) for x in left] if style == "O2" else left
    for weight in weights:
        weight.grad = torch.zeros_like(weight)
    gradients = [weight.grad for weight in weights]
    optimizer = torch.optim.AdamW(weights, lr=1e-4, weight_decay=0.01, fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale, enabled=name == "f16")
    scaler.scale(torch.ones(()))
    seconds = []
    for _ in range(repeats + 2):
        if style == "autocast":
            torch._foreach_copy_(gradients, left)
        begin = time.perf_counter()
        if style == "O2":
            torch._foreach_copy_(gradients, left)
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        scaler.step(optimizer)
        scaler.update()
        with torch.no_grad():
            torch._foreach_copy_(copies, weights)
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[2:])


def in_amphora(program, elements, tensors, name, threads):
    wanted = f"^phase/{name}/elements:{elements}/tensors:{tensors}/threads:{threads}/manual_time$"
    run = subprocess.run([program, f"--benchmark_filter={wanted}", "--benchmark_format=json", "--benchmark_min_time=0.5"], check=True, capture_output=True, text=True)
    figures = json.loads(run.stdout)["benchmarks"][0]
    return figures["ns_a_parameter"] * 1e-9 * elements * tensors, figures["of_hand_written"], figures["of_update_loop"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True, help="the folder that Amphora was built in")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = arguments.parse_args()
    program = options.build + "/bench/bench_optimizer_phase"
    print(f"torch {torch.__version__}, milliseconds a phase, median of {options.rounds} rounds")
    print("threads  parameters  format   PyTorch O2  autocast   Amphora   times O2  asked   times autocast  asked   of hand-written  of update loop")
    missed = False
    for threads in options.threads:
        torch.set_num_threads(threads)
        for name in LOW:
            for label, (elements, tensors) in SHAPES.items():
                repeats = max(5, min(200, int(2e7 / (elements * tensors))))
                theirs, ours = {"O2": [], "autocast": []}, []
                for _ in range(options.rounds):
                    for style in theirs:
                        theirs[style].append(in_torch(elements, tensors, style, name, repeats))
                    ours.append(in_amphora(program, elements, tensors, name, threads))
                mine = statistics.median(x[0] for x in ours)
                line = f"{threads:7}  {label:10}  {name:6} {statistics.median(theirs['O2']) * 1e3:12.3f} {statistics.median(theirs['autocast']) * 1e3:9.3f} {mine * 1e3:9.3f}"
                for style in theirs:
                    ratio, want = statistics.median(theirs[style]) / mine, ASKED[name][style].get(label)
                    missed |= want is not None and ratio < want
                    line += f" {ratio:10.2f}  {want or '':5}{' missed' if want and ratio < want else '       '}"
                print(line + f" {statistics.median(x[1] for x in ours):10.2f} {statistics.median(x[2] for x in ours):10.2f}", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
