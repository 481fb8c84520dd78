"""The paper's method in PyTorch, to compare with bench/gpu.ts at the same sizes: brute-force GIP, and approximate GIP in two
stages, both in float16 on one GPU, batch 1. We wrote it from the paper.

    python3 bench/gpu/pytorch.py [--docs N] [--dims 768,128] [--runs 15]

The data has the shape of bench/gpu/shape.ts (every slot filled, skewed cells, a few heavy query slots and many light ones),
but not the same bits: only times are compared. It prints JSON, one object per line. "rows" stores the documents row by row,
as the authors' index does; "columns" stores them slice by slice, which is faster if slices are selected.
"""

import argparse
import json
import os
import sys
import time

try:
    import torch
except ImportError as error:
    print(json.dumps({"skipped": f"PyTorch is not installed: {error}"}))
    sys.exit(0)

CLS = 128
K = 1000
CANDIDATES = 10_000
THETA = 0.3


def zipf_cells(shape, cells, generator):
    shares = (torch.arange(cells, device="cuda", dtype=torch.float32) + 2) ** -1.0
    reached = torch.cumsum(shares / shares.sum(), 0)
    drawn = torch.searchsorted(reached, torch.rand(shape, device="cuda", generator=generator))
    return drawn.clamp_(max=cells - 1).to(torch.uint8)


def documents(docs, dims, generator):
    """Values (float16, [CLS] at the end) and indices (u8, lexical part only), row by row."""
    cells = -(-29_952 // dims)
    values = torch.empty((docs, dims + CLS), dtype=torch.float16, device="cuda")
    indices = torch.empty((docs, dims), dtype=torch.uint8, device="cuda")
    for start in range(0, docs, 250_000):
        n = min(250_000, docs - start)
        normal = torch.randn((n, dims), device="cuda", generator=generator)
        heavy = torch.rand((n, dims), device="cuda", generator=generator) < 75 / max(dims, 128)
        lexical = torch.where(heavy, 0.7 * torch.exp(0.5 * normal), (0.08 * torch.exp(0.8 * normal)).clamp(max=1.5))
        values[start : start + n, :dims] = lexical.to(torch.float16)
        noise = torch.randn((n, CLS), device="cuda", generator=generator)
        values[start : start + n, dims:] = (0.105 * noise).to(torch.float16)
        indices[start : start + n] = zipf_cells((n, dims), cells, generator)
    return values, indices


def query(dims, generator):
    cells = -(-29_952 // dims)
    normal = torch.randn(dims, device="cuda", generator=generator)
    heavy = torch.rand(dims, device="cuda", generator=generator) < 29 / max(dims, 128)
    lexical = torch.where(heavy, 0.8 * torch.exp(0.5 * normal), (0.01 * torch.exp(0.8 * normal)).clamp(max=0.09))
    cls = 0.1 * torch.randn(CLS, device="cuda", generator=generator)
    return torch.cat([lexical, cls]).to(torch.float16), zipf_cells((dims,), cells, generator)


def timed(call, runs):
    call()
    call()
    times = []
    for _ in range(runs):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    return {"median_ms": times[len(times) // 2], "best_ms": times[0], "runs": runs}


def gip(values, indices, q, qi, dims):
    """Scores some rows over all dimensions: the gated lexical part and [CLS], summed in float32."""
    gated = torch.where(indices == qi, values[:, :dims], 0)
    return torch.mv(gated, q[:dims]).float() + torch.mv(values[:, dims:], q[dims:]).float()


def brute_force(values, indices, q, qi, dims, chunk):
    scores = [
        gip(values[i : i + chunk], indices[i : i + chunk], q, qi, dims) for i in range(0, values.shape[0], chunk)
    ]
    best = torch.topk(torch.cat(scores), K)
    return best.values.cpu(), best.indices.cpu()


def rescored(values, indices, q, qi, dims, candidates):
    best = torch.topk(gip(values[candidates], indices[candidates], q, qi, dims), K)
    return best.values.cpu(), candidates[best.indices].cpu()


def approximate(values, indices, columns, q, qi, dims, chunk):
    chosen = torch.nonzero(q > THETA).flatten()
    lexical, cls = chosen[chosen < dims], chosen[chosen >= dims]
    parts = []
    for i in range(0, values.shape[0], chunk):
        if columns is None:
            v = values[i : i + chunk]
            gate = indices[i : i + chunk][:, lexical] == qi[lexical]
            score = torch.mv(torch.where(gate, v[:, lexical], 0), q[lexical]).float()
            if len(cls) > 0:
                score += torch.mv(v[:, cls], q[cls]).float()
        else:
            by_value, by_index = columns[0][:, i : i + chunk], columns[1][:, i : i + chunk]
            gate = by_index[lexical] == qi[lexical, None]
            score = torch.mv(torch.where(gate, by_value[lexical], 0).t(), q[lexical]).float()
            if len(cls) > 0:
                score += torch.mv(by_value[cls].t(), q[cls]).float()
        parts.append(score)
    candidates = torch.topk(torch.cat(parts), min(CANDIDATES, values.shape[0])).indices
    return rescored(values, indices, q, qi, dims, candidates)


def inner_product(values, indices, q, qi, dims):
    candidates = torch.topk(torch.mv(values, q), min(CANDIDATES, values.shape[0])).indices
    return rescored(values, indices, q, qi, dims, candidates)


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--docs", type=int, default=8_841_823)
    flags.add_argument("--dims", default="768,128")
    flags.add_argument("--runs", type=int, default=15)
    flags.add_argument("--chunk", type=int, default=1_000_000)
    args = flags.parse_args()
    if not torch.cuda.is_available():
        print(json.dumps({"skipped": "PyTorch sees no CUDA device", "torch": torch.__version__}))
        return
    lines = []

    def say(**line):
        lines.append(line)
        print(json.dumps(line), flush=True)

    say(torch=torch.__version__, device=torch.cuda.get_device_name(0), docs=args.docs, k=K, candidates=CANDIDATES)
    for dims in map(int, args.dims.split(",")):
        generator = torch.Generator(device="cuda").manual_seed(11)
        values, indices = documents(args.docs, dims, generator)
        q, qi = query(dims, generator)
        shape = {"dims": dims, "cls": CLS, "selected": int((q > THETA).sum())}
        say(plan="brute-force GIP", **shape, **timed(lambda: brute_force(values, indices, q, qi, dims, args.chunk), args.runs))
        say(plan="approximate GIP, rows", **shape, **timed(lambda: approximate(values, indices, None, q, qi, dims, args.chunk), args.runs))
        say(plan="inner product + GIP", **shape, **timed(lambda: inner_product(values, indices, q, qi, dims), args.runs))
        columns = (values.t().contiguous(), indices.t().contiguous())
        whole = args.docs
        say(plan="approximate GIP, columns", **shape, **timed(lambda: approximate(values, indices, columns, q, qi, dims, whole), args.runs))
        del values, indices, columns
        torch.cuda.empty_cache()
    out = os.environ.get("OUT")
    if out:
        os.makedirs(out, exist_ok=True)
        with open(os.path.join(out, "pytorch.json"), "w") as file:
            json.dump(lines, file, indent=1)


if __name__ == "__main__":
    main()
