"""Shared code of the engines in Python: reads the data set's files, measures times, and writes the answer (see protocol.ts).

A peer defines two functions:
- build(data, index) builds the index. It may return its own milliseconds if it first converts files to another format.
- ways(data, index) returns a list of (name, exact, prepare). prepare(query, k) returns two functions: one without arguments
  that searches and is timed, and one that turns its result into document numbers.
"""

import json
import os
import resource
import sys
import time

CUTS = (10, 1000)
PASSES = 3
PASS_MS = 10_000
WARM_UP_PASSES = 10
STEADY = 1.05


def bags(path):
    """Yields a list of (term, weight) for each line."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(" ") if line != "\n" else []
            yield list(zip(fields[0::2], map(int, fields[1::2])))


def docs(data):
    return bags(os.path.join(data, "docs.txt"))


def about(data):
    with open(os.path.join(data, "about.json"), encoding="utf-8") as file:
        return json.load(file)


def terms(data):
    with open(os.path.join(data, "terms.txt"), encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def text(bag):
    return " ".join(term for term, count in bag for _ in range(count))


def main(build, ways, note=None):
    job, data, index, result = sys.argv[1:5]
    try:
        found = _build(build, data, index) if job == "build" else _ask(ways, data, index, note)
    except Exception as error:  # the bench prints the reason and leaves the engine out
        found = {"error": f"{type(error).__name__}: {error}"}
    with open(result, "w", encoding="utf-8") as file:
        json.dump(found, file)
    sys.stderr.flush()
    os._exit(0)  # some engines crash or hang when the interpreter shuts down


def _build(build, data, index):
    started = time.perf_counter()
    own = build(data, index)
    ms = 1000 * (time.perf_counter() - started)
    return {"buildMs": own if own is not None else ms, "peakBytes": _peak()}


def _ask(ways, data, index, note):
    started = time.perf_counter()
    opened = ways(data, index)
    open_ms = 1000 * (time.perf_counter() - started)
    queries = list(bags(os.path.join(data, "queries.txt")))
    asked = []
    for name, exact, prepare in opened:
        at = {k: _measure([prepare(query, k) for query in queries], k) for k in CUTS}
        asked.append({"name": name, "exact": exact, "at": at})
    answer = {"openMs": open_ms, "ways": asked, "rssBytes": _resident(), "peakBytes": _peak()}
    return {**answer, "note": note} if note else answer


def _measure(asks, k):
    def one_pass():
        nonlocal asks
        times, found, total = [], [], 0.0
        for ask, numbers in asks:
            if total > PASS_MS:
                break
            started = time.perf_counter()
            answer = ask()
            ms = 1000 * (time.perf_counter() - started)
            times.append(ms)
            total += ms
            found.append([int(number) for number in numbers(answer)][:k])
        asks = asks[: len(times)]
        return times, found

    asks[0][0]()  # compile and load before the first pass
    before = float("inf")
    for _ in range(WARM_UP_PASSES):
        times, found = one_pass()
        mean = sum(times) / len(times)
        if mean * STEADY > before:
            break
        before = mean
    timed = [one_pass() for _ in range(PASSES)]
    return {"times": [times[: len(asks)] for times, _ in timed], "found": timed[-1][1]}


def _resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
