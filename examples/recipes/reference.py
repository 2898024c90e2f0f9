#!/usr/bin/env python3
"""Writes the reference runs of the recipes: the same trainings by PyTorch, in float64, and in float32 under GradScaler.

    python3 reference.py    # needs PyTorch 2.3 or later, on a CPU

Start weights and batches are those of tests/data/recipes/torch_recipes.json.
"""
import json
import pathlib
import torch
from torch.nn.functional import cross_entropy, gelu, linear

HERE = pathlib.Path(__file__).parent
SHARED = {r["recipe"]: r for r in json.loads((HERE / "../../tests/data/recipes/torch_recipes.json").read_text())["recipes"]}


def write(name, about, entries):
    """entries: name -> (extents, numbers)"""
    with open(HERE / f"{name}.txt", "w") as file:
        file.write(f"# {about} PyTorch {torch.__version__.split('+')[0]}, CPU: reference.py.\n")
        for key, (extents, numbers) in entries.items():
            file.write(f"{key} {'x'.join(map(str, extents))} {' '.join(repr(n) for n in numbers)}\n")


def array(tensor):
    tensor = tensor.detach()
    return list(tensor.shape), [float(n) for n in tensor.double().flatten()]


def numbers(values):
    return [len(values)], [float(v) for v in values]


class Run:
    """Weights, batches and what is noted of a run in one format."""

    def __init__(self, recipe, dtype, models=1):
        data = SHARED[recipe]
        self.dtype, self.models = dtype, models
        tensor = lambda t: torch.tensor(t["values"], dtype=torch.float64).reshape(t["shape"])
        self.start = {k: tensor(v) for k, v in data["start"].items()}
        self.w = {k: v.to(dtype, copy=True).requires_grad_() for k, v in self.start.items()}
        self.x = torch.stack([tensor(x) for x in data["inputs"]])
        self.y = torch.tensor(data["targets"])
        self.scaler = lambda: torch.amp.GradScaler("cpu", init_scale=1024, growth_interval=3, enabled=dtype == torch.float32)
        self.notes = {}

    def note(self, name, value):
        self.notes.setdefault(name, []).append(float(value.detach() if torch.is_tensor(value) else value))

    def logits(self, step, model=0, rows=slice(None)):
        w = {k.split(".")[1]: v for k, v in self.w.items() if k.startswith(f"model{model}")}
        hidden = gelu(linear(self.x[step][rows].to(self.dtype), w["w1"], w["b1"]))
        return linear(hidden, w["w2"], w["b2"])

    def weights(self, model=0):
        return [v for k, v in self.w.items() if k.startswith(f"model{model}")]


def both(name, about, recipe, train, models=1, steps=12):
    f64, f32 = (Run(recipe, dtype, models) for dtype in (torch.float64, torch.float32))
    for run in (f64, f32):
        train(run)
    key = lambda k: k.replace("model0.", "") if models == 1 else k
    entries = {f"start.{key(k)}": array(v) for k, v in f64.start.items()}
    entries |= {"x": array(f64.x[:steps]), "y": (list(f64.y[:steps].shape), [int(n) for n in f64.y[:steps].flatten()])}
    for k in f64.notes:
        if k.startswith("scale"):
            entries[k] = numbers(f32.notes[k])
        else:
            entries |= {f"{k}.f64": numbers(f64.notes[k]), f"{k}.f32": numbers(f32.notes[k])}
    for k in f64.w:
        entries |= {f"final.{key(k)}.f64": array(f64.w[k]), f"final.{key(k)}.f32": array(f32.w[k])}
    write(name, about, entries)


def adamw(weights, lr=0.01, decay=0.1):
    return torch.optim.AdamW(weights, lr=lr, weight_decay=decay)


def make_infinite(parameter):
    with torch.no_grad():
        parameter.grad.view(-1)[0] = float("inf")


def take_step(scaler, optimizer, skips=False):
    """scaler.step; a disabled scaler checks nothing, so that in float64 what must be skipped is skipped by hand."""
    if scaler.is_enabled() or not skips:
        scaler.step(optimizer)


def one_model(rule=adamw, clip=None, overflow=(), frozen=0, together=1, steps=12):
    def train(run):
        for weight in run.weights()[:frozen]:
            weight.requires_grad_(False)
        weights = run.weights()[frozen:]
        scaler, optimizer = run.scaler(), rule(weights)
        for step in range(steps):
            if step % together == 0:
                optimizer.zero_grad()
            loss = cross_entropy(run.logits(step), run.y[step]) / together
            scaler.scale(loss).backward()
            run.note("loss", loss)
            if (step + 1) % together:
                continue
            if step in overflow:
                make_infinite(weights[0])
            if clip:
                scaler.unscale_(optimizer)
                run.note("norm", torch.nn.utils.clip_grad_norm_(weights, clip))
            take_step(scaler, optimizer, step in overflow)
            scaler.update()
            run.note("scale", scaler.get_scale())
    return train


def gradient_penalty(run):
    scaler, optimizer = run.scaler(), torch.optim.SGD(run.weights(), lr=0.05)
    for step in range(8):
        optimizer.zero_grad()
        loss = cross_entropy(run.logits(step), run.y[step])
        scaled = torch.autograd.grad(scaler.scale(loss), run.weights(), create_graph=True)
        norm = torch.sqrt(sum((g / scaler.get_scale()).pow(2).sum() for g in scaled))
        loss = loss + 0.1 * norm
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        run.note("loss", loss), run.note("penalty", norm), run.note("scale", scaler.get_scale())


def two_models(run):
    scaler, sgd, other = run.scaler(), torch.optim.SGD(run.weights(0), lr=0.1), adamw(run.weights(1), decay=0.01)
    for step in range(10):
        sgd.zero_grad(), other.zero_grad()
        first, second = run.logits(step, 0), run.logits(step, 1)
        losses = [cross_entropy(p * first + q * second, run.y[step]) for p, q in ((2, 3), (3, -5))]
        scaler.scale(losses[0]).backward(retain_graph=True)
        scaler.scale(losses[1]).backward()
        skips = step in (3, 6)
        if skips:
            make_infinite(run.weights(0)[0])
        take_step(scaler, sgd, skips)
        scaler.step(other)
        scaler.update()
        run.note("loss0", losses[0]), run.note("loss1", losses[1]), run.note("scale", scaler.get_scale())


def separate_scalers(run):
    """A scaler for each loss. An overflow in the gradients of one skips the step and lowers that one's scale."""
    scalers, weights = [run.scaler(), run.scaler()], run.weights()
    optimizer = adamw(weights)
    for step in range(12):
        logits = run.logits(step)
        losses = [cross_entropy(logits, run.y[step]), 0.1 * logits.square().mean()]
        total, clean = [torch.zeros_like(w) for w in weights], True
        for which, (scaler, loss) in enumerate(zip(scalers, losses)):
            optimizer.zero_grad()
            scaler.scale(loss).backward(retain_graph=which == 0)
            overflow = step in ((3, 7), (5,))[which]
            if overflow:
                make_infinite(weights[0])
            scaler.unscale_(optimizer)
            scaler.update()
            clean = clean and not overflow
            total = [t + w.grad for t, w in zip(total, weights)]
        for w, t in zip(weights, total):
            w.grad = t
        if clean:
            optimizer.step()
        run.note("loss0", losses[0]), run.note("loss1", losses[1])
        run.note("scale0", scalers[0].get_scale()), run.note("scale1", scalers[1].get_scale())


def inference():
    """The logits of the weights that the typical step ends with."""
    runs = [Run("typical", dtype) for dtype in (torch.float64, torch.float32)]
    one_model()(runs[0])
    weights = {k: v.detach().float() for k, v in runs[0].w.items()}
    entries = {f"start.{k.split('.')[1]}": array(v) for k, v in weights.items()}
    entries |= {"x": array(runs[0].x), "y": (list(runs[0].y.shape), [int(n) for n in runs[0].y.flatten()])}
    for run, name in zip(runs, ("f64", "f32")):
        run.w = {k: v.to(run.dtype) for k, v in weights.items()}
        logits = torch.cat([run.logits(step) for step in range(12)])
        entries |= {f"logits.{name}": numbers(logits.flatten()), f"probabilities.{name}": numbers(logits.softmax(1).flatten())}
        entries["classes"] = numbers(logits.argmax(1))
    write("inference", "Logits, their softmax and the largest one's class, of weights after twelve typical steps.", entries)


class Numbers:
    """Random numbers that the recipes draw too."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return (self.state >> 8) * 2.0**-24

    def below(self, n):
        return int(self.next() * n)

    def shuffled(self, n):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def uniform(self, fan_in, *shape):
        bound = torch.tensor(1 / fan_in, dtype=torch.float32).sqrt().double()
        count = torch.Size(shape).numel()
        return bound * torch.tensor([2 * self.next() - 1 for _ in range(count)], dtype=torch.float64).reshape(shape)


def cnn(dtype, epochs):
    """Two convolutions with batch norm, a linear layer; its weights as they start, in the order in which they are drawn."""
    random = Numbers(1)
    table = torch.tensor([[float(n) for n in line.split(",")] for line in open(HERE / "../data/digits.csv")], dtype=torch.float64)[random.shuffled(1797)]
    images, labels = (table[:, :64] / 16).reshape(-1, 1, 8, 8).to(dtype), table[:, 64].long()
    w = [random.uniform(9, 16, 1, 3, 3), random.uniform(144, 32, 16, 3, 3), random.uniform(512, 10, 512), torch.zeros(10)]
    w = [x.to(dtype).requires_grad_() for x in w]
    affine = [f(n, dtype=dtype).requires_grad_() for n in (16, 32) for f in (torch.ones, torch.zeros)]
    running = [f(n, dtype=dtype) for n in (16, 32) for f in (torch.zeros, torch.ones)]

    def logits(x, training):
        h = torch.nn.functional.batch_norm(torch.conv2d(x, w[0], padding=1), *running[:2], *affine[:2], training).relu()
        h = torch.nn.functional.batch_norm(torch.conv2d(h, w[1], padding=1, stride=2), *running[2:], *affine[2:], training).relu()
        return linear(h.flatten(1), w[2], w[3])

    optimizer, losses = adamw(w + affine, lr=0.003, decay=0.01), []
    for _ in range(epochs):
        order = random.shuffled(1440)
        for first in range(0, 1440, 32):
            optimizer.zero_grad()
            loss = cross_entropy(logits(images[order[first : first + 32]], True), labels[order[first : first + 32]], label_smoothing=0.1)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if epochs == 1 and len(losses) == 12:
                return losses, running
    with torch.no_grad():
        right = (logits(images[1440:], False).argmax(1) == labels[1440:]).sum().item()
    return losses, 100 * right / 357


def convolutional():
    (f64, running64), (f32, running32) = cnn(torch.float64, 1), cnn(torch.float32, 1)
    entries = {"loss.f64": numbers(f64), "loss.f32": numbers(f32)}
    for name, a, b in zip(("mean1", "variance1", "mean2", "variance2"), running64, running32):
        entries |= {f"{name}.f64": array(a), f"{name}.f32": array(b)}
    losses, accuracy = cnn(torch.float32, 8)
    entries["accuracy"] = numbers([accuracy])
    write("convolutional", "The first twelve losses and running statistics; the accuracy after eight epochs.", entries)


def transformer(dtype, steps, dropout):
    text = (HERE / "sonnet.txt").read_text()
    alphabet = sorted(set(text))
    codes = torch.tensor([alphabet.index(c) for c in text])
    random, width, heads, length, batch = Numbers(1), 32, 4, 32, 8
    draw = lambda *a: random.uniform(*a).to(dtype).requires_grad_()
    tokens, places = draw(width, len(alphabet), width), draw(width, length, width)
    blocks = [[draw(width, 3 * width, width), draw(width, width, width), draw(width, 2 * width, width), draw(2 * width, width, 2 * width)] for _ in range(2)]
    norms = [[f(width, dtype=dtype).requires_grad_() for f in (torch.ones, torch.zeros)] for _ in range(5)]
    drop = lambda x: torch.nn.functional.dropout(x, dropout) if dropout else x
    norm = lambda x, i: torch.nn.functional.layer_norm(x, (width,), *norms[i])
    split = lambda x: x.reshape(batch, length, heads, width // heads).transpose(1, 2)

    def logits(x):
        h = drop(tokens[x] + places)
        for i, (qkv, out, up, down) in enumerate(blocks):
            q, k, v = (split(part) for part in linear(norm(h, 2 * i), qkv).chunk(3, -1))
            mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
            h = h + drop(linear(mixed, out))
            h = h + drop(linear(gelu(linear(norm(h, 2 * i + 1), up)), down))
        return linear(norm(h, 4), tokens)

    optimizer = adamw([tokens, places] + [w for b in blocks for w in b] + [w for n in norms for w in n], lr=0.003, decay=0.01)
    losses = []
    for _ in range(steps):
        starts = [random.below(len(text) - length) for _ in range(batch)]
        x, y = (torch.stack([codes[s + k : s + k + length] for s in starts]) for k in (0, 1))
        optimizer.zero_grad()
        loss = cross_entropy(logits(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def character_transformer():
    torch.manual_seed(1)
    entries = {"loss.f64": numbers(transformer(torch.float64, 12, 0)), "loss.f32": numbers(transformer(torch.float32, 12, 0))}
    entries["last"] = numbers([sum(transformer(torch.float32, 300, 0.1)[-20:]) / 20])
    write("character_transformer", "The first twelve losses, without dropout; with it, the mean of the last 20 of 300.", entries)


def sgd(weights):
    return torch.optim.SGD(weights, lr=0.1, momentum=0.9)


if __name__ == "__main__":
    both("typical_step", "Twelve steps of AdamW.", "typical", one_model())
    both("unscale_and_clip", "Gradients clipped to a norm of 0.5.", "clipped", one_model(clip=0.5))
    both("accumulation", "Three batches a step, SGD with momentum.", "accumulation", one_model(rule=sgd, together=3))
    both("gradient_penalty", "The norm of the gradients, times 0.1, in the loss.", "gradient_penalty", gradient_penalty, steps=8)
    both("two_models", "Two models, two losses of both, two optimizers, one scaler; infinities in the first model's gradients at steps 3 and 6.",
         "two_models", two_models, models=2, steps=10)
    both("separate_scalers", "A scaler for each of two losses; infinities in the first one's gradients at steps 3 and 7, in the second one's at step 5.",
         "typical", separate_scalers)
    both("data_parallel", "An infinity in the gradients at steps 4 and 7.", "overflow", one_model(overflow=(4, 7)))
    both("frozen_layers", "The first layer frozen.", "frozen_layer", one_model(rule=lambda w: adamw(w, 0.02, 0.01), frozen=2, steps=8), steps=8)
    both("save_and_resume", "Twelve steps of AdamW.", "typical", one_model())
    inference()
    convolutional()
    character_transformer()
