"""BMP: block-max pruning, by its authors. It visits blocks of documents in the order of their upper bounds, and stops when no
block can hold a better document. It rounds the weights of queries to bytes, so its exact ranking is one of rounded scores.

Three settings are measured. With alpha 1 it is exact; a lower alpha stops earlier. Beta is the share of query terms that is used."""

import os

import bmp
import harness

BLOCK_DOCS = 8  # the fastest for ten hits, of 8, 16, 32 and 64


def build(data, index):
    indexer = bmp.Indexer(os.path.join(index, "bmp"), bsize=BLOCK_DOCS, compress_range=False)
    for number, bag in enumerate(harness.docs(data)):
        indexer.add_document(str(number), dict(bag))
    indexer.finish()


def ways(data, index):
    opened = bmp.Searcher(os.path.join(index, "bmp"))

    def way(alpha, beta, exact):
        def prepare(query, k):
            weights = dict(query)
            return lambda: opened.search(weights, k, alpha, beta), lambda hits: hits[0]

        return f"alpha {alpha}, beta {beta}", exact, prepare

    return [way(1.0, 1.0, True), way(0.85, 1.0, False), way(0.7, 0.8, False)]


harness.main(build, ways)
