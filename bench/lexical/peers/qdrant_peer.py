"""Qdrant's sparse vectors inside this process (Qdrant Edge): an exact inverted index in memory."""

import os

import harness
from qdrant_edge import (
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    Point,
    Query,
    SearchRequest,
    SparseVector,
    UpdateOperation,
)

FIELD = "sparse"
BATCH = 1000


def config():
    return EdgeConfig(
        sparse_vectors={FIELD: EdgeSparseVectorParams(full_scan_threshold=1)},
        # One segment, indexed even if it is small.
        optimizers=EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1),
        max_search_threads=1,
        wal_enabled=False,  # the index is built once, so it needs no log of changes
    )


def build(data, index):
    ids = {term: number for number, term in enumerate(harness.terms(data))}
    shard = EdgeShard.create(os.path.join(index, "shard"), config())
    batch = []
    for number, bag in enumerate(harness.docs(data)):
        batch.append(Point(number, {FIELD: vector(bag, ids)}))
        if len(batch) == BATCH:
            shard.update(UpdateOperation.upsert_points(batch))
            batch = []
    if batch:
        shard.update(UpdateOperation.upsert_points(batch))
    shard.optimize()
    shard.flush()
    shard.close()


def ways(data, index):
    ids = {term: number for number, term in enumerate(harness.terms(data))}
    shard = EdgeShard.load(os.path.join(index, "shard"))

    def prepare(query, k):
        request = SearchRequest(query=Query.Nearest(vector(query, ids), using=FIELD), limit=k)
        return lambda: shard.search(request), lambda hits: [hit.id for hit in hits]

    return [("", True, prepare)]


def vector(bag, ids):
    return SparseVector([ids[term] for term, _ in bag], [float(weight) for _, weight in bag])


harness.main(build, ways)
