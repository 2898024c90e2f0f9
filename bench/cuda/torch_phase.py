"""The optimizer phase in PyTorch on a GPU, in the shapes of phase.cu: a line of JSON for each.

GradScaler (f16 only), clip_grad_norm_, the fused AdamW and a copy of the weights to 16 bits, in two styles:
  O2        16-bit gradients over float masters: they are copied to float first
  autocast  float weights and float gradients
"ms" is the median of several rounds between two events, as calls. Nothing is printed, and the status is 77, where torch or a
GPU is missing.
"""
import argparse
import json
import statistics
import sys

try:
    import torch
except ImportError:
    print("torch_phase: there is no torch for this python", file=sys.stderr)
    sys.exit(77)

LOW = {"f16": torch.float16, "bf16": torch.bfloat16}


def measure(elements, tensors, style, name, seconds):
    """Median milliseconds of one phase."""
    weights = [torch.full((elements,), 0.02, device="cuda").requires_grad_() for _ in range(tensors)]
    copies = [torch.empty(elements, dtype=LOW[name], device="cuda") for _ in range(tensors)]
    scale = 65536.0 if name == "f16" else 1.0
    left = [(torch.rand(elements, device="cuda") + 1) * 1e-3 * scale for _ in range(tensors)]
    left = [x.to(LOW[name]) for x in left] if style == "O2" else left
    for weight in weights:
        weight.grad = torch.zeros_like(weight)
    gradients = [weight.grad for weight in weights]
    optimizer = torch.optim.AdamW(weights, lr=1e-4, weight_decay=0.01, fused=True)
    scaler = torch.amp.GradScaler("cuda", init_scale=scale, enabled=name == "f16")
    scaler.scale(torch.ones((), device="cuda"))
    def once(calls):
        pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(calls)]
        for begin, end in pairs:
            if style == "autocast":
                torch._foreach_copy_(gradients, left)  # what backward leaves; not timed
            begin.record()
            if style == "O2":
                torch._foreach_copy_(gradients, left)
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            scaler.step(optimizer)
            scaler.update()
            with torch.no_grad():
                torch._foreach_copy_(copies, weights)
            end.record()
        torch.cuda.synchronize()
        return sum(begin.elapsed_time(end) for begin, end in pairs) / calls

    once(3)
    calls = max(1, int(seconds * 1e3 / 5 / max(once(2), 1e-3)))
    return statistics.median(once(calls) for _ in range(5))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--shapes", default="1e6x1,1e7x1,1e8x1,1e9x1,1e4x1000,1e5x1000")
    arguments.add_argument("--seconds", type=float, default=0.3)
    options = arguments.parse_args()
    if not torch.cuda.is_available():
        print("torch_phase: torch sees no GPU", file=sys.stderr)
        sys.exit(77)
    for shape in options.shapes.split(","):
        elements, tensors = (int(float(x)) for x in (shape + "x1").split("x")[:2])
        for name in LOW:
            for style in ("O2", "autocast"):
                try:
                    ms = measure(elements, tensors, style, name, options.seconds)
                except torch.cuda.OutOfMemoryError:
                    print(f"torch_phase: no memory for {shape} {name} {style}", file=sys.stderr)
                    continue
                finally:
                    torch.cuda.empty_cache()
                print(json.dumps({"bench": "torch_phase", "style": style, "format": name, "elements": elements, "tensors": tensors, "ms": round(ms, 4), "torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
