"""The models of the zero-shot table, one after the other for the same time each, from the same sources:

    python3 bench/train/variants.py --pack pack.safetensors --encoder …/model.safetensors --out OUT --seconds 50 \
        dense delade delade+cls:128 delade+cls:384 delade+pooled delade+pooled:plus

A name is a head of pytorch.py, with the width of [CLS] or "plus" behind it. All other options are pytorch.py's.
"""

import copy
import json
import os
import sys
import time

import torch

from data import Source
from evaluate import Evaluation
from model import Model, read_safetensors, write_safetensors
from pytorch import Trainer, evaluated, new_model, parsed, timed_step


def named(options, name):
    head, _, what = name.partition(":")
    variant = copy.copy(options)
    variant.head, variant.plus = head, what == "plus"
    if what.isdigit():
        variant.cls_width = int(what)
    return variant


def main():
    names = [word for word in sys.argv[1:] if word.partition(":")[0] in ("dense", "delade", "delade+cls", "delade+pooled")]
    sys.argv = [word for word in sys.argv if word not in names]
    options = parsed()
    torch.set_float32_matmul_precision("high")
    if options.time_step:
        print(f"a step of 192 pairs of 32 + 150 tokens: {1000 * timed_step(options):.1f} ms", flush=True)
    pack = read_safetensors(options.pack)
    teacher = Model(lexical=False, semantic="none").load_encoder(options.encoder).to(options.device).requires_grad_(False)
    dtype = torch.float16 if options.device == "cuda" else torch.float32
    generator = torch.Generator().manual_seed(0)
    sources = [Source(pack, name, teacher, options, dtype, generator) for name in options.sources]
    for name in names:
        variant = named(options, name)
        torch.manual_seed(variant.seed)
        model = new_model(variant)
        trainer = Trainer(variant, model, teacher, sources)
        begun = time.time()
        if variant.head != "dense":
            trainer.warm_up(variant.warm_up)
        steps, _ = trainer.train(begun + variant.seconds)
        results = {"options": vars(variant), "steps": steps, "seconds": time.time() - begun}
        folder = f"{variant.out}/{name.replace('+', '-').replace(':', '-')}"
        os.makedirs(folder, exist_ok=True)
        trainer.write_curve(f"{folder}/curve.csv")
        if not variant.no_evaluation:
            results |= evaluated(model, teacher, Evaluation(pack, sources, variant), variant)
        write_safetensors(f"{folder}/model.safetensors", model.state_dict())
        with open(f"{folder}/results.json", "w") as file:
            json.dump(results, file, indent=1)
        print(f"{name}: {steps} steps in {results['seconds']:.0f} s, all in {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
