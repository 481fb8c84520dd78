"""PISA, by the binary inside pyterrier-pisa: safe pruning over compressed posting lists, with BM25 or integer weights.

Only the binary is loaded, because its Python package needs a whole search platform. This script writes an inverted index as
files of 32-bit numbers; PISA makes its compressed lists and block maxima from them:

  inv.docs    1, the number of documents, then for each term its count and its documents
  inv.freqs   for each term its count and its weights
  inv.sizes   the number of documents, then the length of each
"""

import ctypes
import glob
import importlib.util
import os
import sys

import harness
import numpy as np

ENCODING = "block_simdbp"
ALGORITHMS = ("maxscore", "block_max_maxscore", "block_max_wand")


def pisathon():
    """Loads the binary. Its output (a line for each percent) is discarded; errors are exceptions."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    libraries = os.path.join(sys.prefix, "lib")
    for name in ("libtbb.so.2", "libtbb.so"):
        path = os.path.join(libraries, name)
        if os.path.exists(path):
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
            break
    (path,) = glob.glob(os.path.join(libraries, "python*", "site-packages", "pyterrier_pisa", "_pisathon*.so"))
    spec = importlib.util.spec_from_file_location("_pisathon", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(data, index):
    names = harness.terms(data)
    held = [([], []) for _ in names]
    ids = {term: number for number, term in enumerate(names)}
    lengths = []
    for number, bag in enumerate(harness.docs(data)):
        for term, weight in bag:
            docs, weights = held[ids[term]]
            docs.append(number)
            weights.append(weight)
        lengths.append(sum(weight for _, weight in bag))
    # Its lexicon is searched by bisection, so sort the terms by their bytes. Leave out terms that only queries have.
    order = sorted((term for term in names if held[ids[term]][0]), key=lambda term: term.encode())

    def at(name):
        return os.path.join(index, name)

    def numbers(values):
        return np.array(values, dtype=np.uint32).tobytes()

    with open(at("inv.docs"), "wb") as docs, open(at("inv.freqs"), "wb") as weights:
        docs.write(numbers([1, len(lengths)]))
        for term in order:
            of_term = held[ids[term]]
            docs.write(numbers([len(of_term[0]), *of_term[0]]))
            weights.write(numbers([len(of_term[1]), *of_term[1]]))
    with open(at("inv.sizes"), "wb") as sizes:
        sizes.write(numbers([len(lengths), *lengths]))
    library = pisathon()
    for name, lines in (("fwd.terms", order), ("fwd.documents", map(str, range(len(lengths))))):
        with open(at(name), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    library.build_binlex(at("fwd.terms"), at("fwd.termlex"))
    library.build_binlex(at("fwd.documents"), at("fwd.doclex"))
    context(library, data, index)
    for name in ("inv.docs", "inv.freqs", "inv.sizes", "fwd.terms", "fwd.documents"):
        os.remove(at(name))


def context(library, data, index):
    """Opens the index; makes missing files first."""
    scoring = {"bm25_k1": 0.9, "bm25_b": 0.4} if harness.about(data)["kind"] == "bm25" else {}
    opened = library.RetrievalContext()
    library.prepare_index(opened, index, ENCODING, "bm25" if scoring else "quantized", "", **scoring)
    return opened


def ways(data, index):
    library = pisathon()
    opened = context(library, data, index)

    def way(algorithm):
        def prepare(query, k):
            question = [(0, {term: float(weight) for term, weight in query})]

            def ask():
                numbers = np.empty(k, dtype=object)
                size = library.retrieve(
                    opened,
                    algorithm,
                    question,
                    k=k,
                    threads=1,
                    pretokenised=1,
                    query_weighted=1,
                    result_qidxs=np.empty(k, dtype=np.int32),
                    result_docnos=numbers,
                    result_ranks=np.empty(k, dtype=np.int32),
                    result_scores=np.empty(k, dtype=np.float32),
                )
                return numbers[:size]

            return ask, list

        return algorithm, True, prepare

    return [way(algorithm) for algorithm in ALGORITHMS]


harness.main(build, ways)
