"""Turns packed token ids (pack.ts) into batches. Also holds the teacher: BM25 over word pieces plus λ times the cosine of the
untrained encoder's vectors. The teacher also finds passages of a source that are hard to tell apart.
"""

import torch

from model import CLS, SEP, pooled

BM25_K1, BM25_B = 0.9, 0.4
# Hard passages per query.
NEIGHBORS = 32
# The most pairs of a source that are held out.
HELD_OUT = 500


class Texts:
    """Token ids of texts, one after the other, on the device."""

    def __init__(self, pack, name, device):
        self.ids = pack[f"{name}.ids"].to(torch.int32).to(device)
        self.lengths = pack[f"{name}.lengths"].to(torch.int64).to(device)
        self.starts = self.lengths.cumsum(0) - self.lengths

    def __len__(self):
        return len(self.lengths)

    def rows(self, rows, longest, width=None, prefix=()):
        return padded(self.ids, self.starts[rows], self.lengths[rows].clamp(max=longest - 2), width, prefix)

    def counts(self, rows, vocabulary):
        """Counts of each word piece: rows × vocabulary."""
        return bags(*self.rows(rows, 258), vocabulary)


def padded(flat, starts, lengths, width=None, prefix=()):
    """Cuts texts out of a flat array; returns ids with [CLS], the prefix and [SEP], and the mask. Without a width it reads the
    longest length from the device, which waits for the device. The width is that of a text without the prefix."""
    width = len(prefix) + (width or -(-(int(lengths.max()) + 2) // 8) * 8)
    at = torch.arange(width, device=flat.device)[None] - 1 - len(prefix)
    ids = flat[(starts[:, None] + at).clamp(0, len(flat) - 1)].long()
    ids = torch.where(at < lengths[:, None], ids, 0)
    ids[:, : 1 + len(prefix)] = torch.tensor([CLS, *prefix], device=flat.device)
    ids.scatter_(1, lengths[:, None] + 1 + len(prefix), SEP)
    return ids, at <= lengths[:, None]


def bags(ids, mask, vocabulary):
    real = mask & (ids != CLS) & (ids != SEP)
    return torch.zeros(len(ids), vocabulary, device=ids.device).scatter_add_(1, ids, real.float())


class Bm25:
    """A dense passages × vocabulary matrix of BM25 weights multiplied by idf. A query is a row of counts."""

    def __init__(self, texts, vocabulary, dtype):
        device = texts.ids.device
        chunks = torch.arange(len(texts), device=device).split(4096)
        frequency = sum((texts.counts(rows, vocabulary) > 0).sum(0) for rows in chunks)
        self.idf = torch.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
        lengths = texts.lengths.float()
        norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths / lengths.mean())
        self.matrix = torch.empty(len(texts), vocabulary, dtype=dtype, device=device)
        for rows in chunks:
            counts = texts.counts(rows, vocabulary)
            self.matrix[rows] = (self.idf * counts / (counts + norm[rows, None])).to(dtype)


@torch.no_grad()
def vectors(model, texts, longest, dtype, prefix=(), batch=512):
    """Returns the encoder's pooled vectors of length 1. It reads the prefix before every text."""
    found = torch.empty(len(texts), 384, device=texts.ids.device)
    for rows in texts.lengths.argsort().split(batch):
        ids, mask = texts.rows(rows, longest, prefix=prefix)
        with torch.autocast(ids.device.type, dtype, enabled=dtype != torch.float32):
            found[rows] = pooled(model.states(ids, mask), mask, model.pooling)
    return found


class Source:
    """The pairs of one source with their teacher. Some pairs are held out, and all pairs that share a passage with them."""

    def __init__(self, pack, name, teacher, options, dtype, generator):
        device = options.device
        self.name, self.teacher_lambda = name, options.teacher_lambda
        self.queries, self.passages = Texts(pack, f"{name}.query", device), Texts(pack, f"{name}.passage", device)
        self.positive = pack[f"{name}.positive"].long().to(device)
        self.bm25 = Bm25(self.passages, options.vocabulary, dtype)
        self.vectors = vectors(teacher, self.passages, options.passage_tokens, dtype)
        order = torch.randperm(len(self.positive), generator=generator).to(device)
        self.held_out = order[: min(HELD_OUT, len(order) // 10)]
        kept = torch.ones(len(self.passages), dtype=torch.bool, device=device)
        kept[self.positive[self.held_out]] = False
        self.training = order[kept[self.positive[order]]]
        self.pair_of = torch.full((len(self.passages),), -1, device=device)
        self.pair_of[self.positive[self.training]] = self.training
        self.neighbors = self.mine(teacher, options, dtype)
        self.generator, self.waiting = torch.Generator(device).manual_seed(options.seed), self.training[:0]

    @torch.no_grad()
    def mine(self, teacher, options, dtype):
        """Returns for every training query the pairs whose passages score best by the teacher (without --plus: by BM25)."""
        weight = options.teacher_lambda if options.plus else 0.0
        queries = vectors(teacher, self.queries, options.query_tokens, dtype, options.teacher_prefix)
        found = torch.zeros(len(self.queries), NEIGHBORS, dtype=torch.long, device=options.device)
        for rows in self.training.split(2048):
            counts = self.queries.counts(rows, options.vocabulary).to(dtype)
            scores = (counts @ self.bm25.matrix.T).float() + weight * queries[rows] @ self.vectors.T
            scores[:, self.pair_of < 0] = -1.0
            scores.scatter_(1, self.positive[rows, None], -1.0)
            found[rows] = self.pair_of[scores.topk(NEIGHBORS, 1).indices]
        return torch.where(found < 0, self.training[:1], found)

    def batch(self, pairs, group):
        """Draws pairs in groups: one pair in turn, the others from its neighbors, so that each is hard for the others."""
        seeds = pairs // group
        while len(self.waiting) < seeds:
            shuffled = torch.randperm(len(self.training), generator=self.generator, device=self.generator.device)
            self.waiting = torch.cat([self.waiting, self.training[shuffled]])
        first, self.waiting = self.waiting[:seeds], self.waiting[seeds:]
        drawn = torch.rand(seeds, NEIGHBORS, generator=self.generator, device=first.device).argsort(1)[:, : group - 1]
        return torch.cat([first, self.neighbors[first].gather(1, drawn).flatten()])

    def teacher_scores(self, ids, mask, query_vectors, passages, vocabulary):
        counts = bags(ids, mask, vocabulary).to(self.bm25.matrix.dtype)
        lexical = (counts @ self.bm25.matrix[passages].T).float()
        return lexical + self.teacher_lambda * query_vectors @ self.vectors[passages].T
