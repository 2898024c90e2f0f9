# builds: train_digits
"""Samples a second of the digit classifier: examples/train_digits and the same training loop in PyTorch, one thread each.

Both sides run in turn, several rounds; a figure is the median over the rounds of a side's median epoch. Time covers
gathering the batch, forward, backward and the optimizer; no evaluation. The levels in PyTorch's words: O0 is float, O1
is torch.autocast over float weights, O2 is a 16-bit model with float masters that are copied in both directions; f16
adds GradScaler to the last two.
"""
import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
import time

import sklearn.datasets
import torch
from torch import nn

LOW = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
RUNS = [("O0", "f32"), ("O1", "f16"), ("O1", "bf16"), ("O2", "f16"), ("O2", "bf16")]
# How many times PyTorch's speed is asked for; None where nothing is.
ASKED = {32: {"O0 f32": 4, "O1 f16": 5, "O2 f16": 5}, 128: {"O0 f32": 2.5, "O1 f16": 3.5, "O2 f16": 3.5},
         512: {"O0 f32": 1.5, "O1 f16": 1.5, "O2 f16": 1.5}}


def in_torch(level, name, batch, epochs):
    """The median over all epochs but the first, in samples a second."""
    torch.manual_seed(1)
    images, labels = sklearn.datasets.load_digits(return_X_y=True)
    images, labels = torch.tensor(images[:1438] / 16, dtype=torch.float32), torch.tensor(labels[:1438])
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    low = LOW[name]
    weights = masters = list(model.parameters())
    if level == "O2":
        masters = [w.detach().clone().requires_grad_() for w in weights]
        weights = list(model.to(low).parameters())
    optimizer = torch.optim.AdamW(masters, lr=3e-3, weight_decay=0.01, fused=True)
    scaler = torch.amp.GradScaler("cpu", growth_interval=200, enabled=name == "f16")
    rates = []
    for _ in range(epochs):
        begin = time.perf_counter()
        for pick in torch.randperm(len(images)).split(batch):
            x, y = images[pick], labels[pick]
            if level == "O2":
                logits = model(x.to(low)).float()
            else:
                with torch.autocast("cpu", dtype=low if level == "O1" else torch.bfloat16, enabled=level == "O1"):
                    logits = model(x).float()
            scaler.scale(nn.functional.cross_entropy(logits, y, label_smoothing=0.1)).backward()
            if level == "O2":
                for master, weight in zip(masters, weights):
                    master.grad = weight.grad.float()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(masters, 1.0)
            scaler.step(optimizer)
            scaler.update()
            if level == "O2":
                with torch.no_grad():
                    for master, weight in zip(masters, weights):
                        weight.copy_(master)
            model.zero_grad()
        rates.append(len(images) / (time.perf_counter() - begin))
    return statistics.median(rates[1:])


def in_amphora(program, level, name, batch, epochs):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "--level", level, "--format", name if level != "O0" else "f16", "--batch", str(batch),
                        "--epochs", str(epochs), "--report", folder], check=True, stdout=subprocess.DEVNULL)
        with open(folder + "/summary.csv") as rows:
            return float(next(csv.DictReader(rows))["samples_per_second"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True, help="the folder that Amphora was built in, for this machine")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--epochs", type=int, default=30)
    options = arguments.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # as train_digits does for its moments, which decay into subnormals otherwise
    program = options.build + "/examples/train_digits"
    print(f"torch {torch.__version__}, samples a second, one thread, median of {options.rounds} rounds")
    print("batch  level format     PyTorch     Amphora   ratio   asked for")
    missed = False
    for batch, asked in ASKED.items():
        for level, name in RUNS:
            theirs, ours = [], []
            for _ in range(options.rounds):
                theirs.append(in_torch(level, name, batch, options.epochs))
                ours.append(in_amphora(program, level, name, batch, options.epochs))
            ratio = statistics.median(ours) / statistics.median(theirs)
            want = asked.get(f"{level} {name}")
            missed |= want is not None and ratio < want
            print(f"{batch:5}  {level:5} {name:6} {statistics.median(theirs):11.0f} {statistics.median(ours):11.0f} {ratio:7.2f}   "
                  f"{want or ''}{'  missed' if want and ratio < want else ''}", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
