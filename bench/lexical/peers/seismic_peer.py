"""Seismic: clustered posting lists with summaries; approximate. Settings from fast to careful are measured: query_cut is the number
of query terms that are looked up, and a lower heap_factor skips fewer blocks."""

import json
import os
import time

import harness
import numpy as np
import seismic


def build(data, index):
    source = os.path.join(data, "seismic.jsonl")
    with open(source, "w", encoding="utf-8") as file:
        for number, bag in enumerate(harness.docs(data)):
            file.write(json.dumps({"id": number, "content": "", "vector": dict(bag)}) + "\n")
    started = time.perf_counter()
    built = seismic.SeismicIndex.build(source, load_content=False, num_threads=1)
    built.save(os.path.join(index, "seismic"))
    ms = 1000 * (time.perf_counter() - started)
    os.remove(source)
    return ms


def ways(data, index):
    (name,) = os.listdir(index)
    opened = seismic.SeismicIndex.load(os.path.join(index, name))
    token = seismic.get_seismic_string()

    def way(cut, factor):
        def prepare(query, k):
            components = np.array([term for term, _ in query], dtype=token)
            values = np.array([weight for _, weight in query], dtype=np.float32)

            def ask():
                return opened.search("0", components, values, k=k, query_cut=cut, heap_factor=factor)

            return ask, lambda hits: [number for _, _, number in hits]

        return f"query_cut {cut}, heap_factor {factor}", False, prepare

    return [way(*setting) for setting in [(5, 0.9), (8, 0.9), (10, 0.8), (15, 0.7), (25, 0.6), (100, 0.4)]]


harness.main(build, ways)
