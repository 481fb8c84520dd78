"""Trains the models of the zero-shot table, one after the other, each for the same time, from the same sources:

    python3 bench/train/variants.py --pack pack.safetensors --encoder …/model.safetensors --out OUT --seconds 50 \
        dense delade delade+cls:128 delade+cls:384 delade+pooled delade+pooled:plus

A name is a head of pytorch.py, optionally with ":" and the width of [CLS] or "plus". Other options are those of pytorch.py.
"""

import copy
import sys

from pytorch import parsed, prepared, run

HEADS = ("dense", "delade", "delade+cls", "delade+pooled")


def named(options, name):
    head, _, what = name.partition(":")
    variant = copy.copy(options)
    variant.head, variant.plus = head, what == "plus"
    if what.isdigit():
        variant.cls_width = int(what)
    variant.out = f"{options.out}/{name.replace('+', '-').replace(':', '-')}"
    return variant


def main():
    names = [word for word in sys.argv[1:] if word.partition(":")[0] in HEADS]
    sys.argv = [word for word in sys.argv if word not in names]
    options = parsed()
    shared = prepared(options)
    for name in names:
        run(named(options, name), *shared)


if __name__ == "__main__":
    main()
