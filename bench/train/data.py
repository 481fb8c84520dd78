"""Packed token ids (pack.ts) → batches, and the teacher: BM25 over word pieces plus λ times the cosine of the untrained
encoder's vectors, which also says which passages of a source are hard to tell apart.
"""

import torch

from model import CLS, SEP, pooled

BM25_K1, BM25_B = 0.9, 0.4
# Weight of the cosine beside BM25 in the teacher.
TEACHER_LAMBDA = 20.0
NEIGHBOURS = 32
HELD_OUT = 500


class Texts:
    """Texts as token ids, one after the other, on the device."""

    def __init__(self, pack, name, device):
        self.ids = pack[f"{name}.ids"].to(torch.int32).to(device)
        self.lengths = pack[f"{name}.lengths"].to(torch.int64).to(device)
        self.starts = self.lengths.cumsum(0) - self.lengths

    def __len__(self):
        return len(self.lengths)

    def rows(self, rows, longest, width=None):
        return padded(self.ids, self.starts[rows], self.lengths[rows].clamp(max=longest - 2), width)

    def counts(self, rows, vocabulary):
        """How often each word piece occurs: rows × vocabulary."""
        return bags(*self.rows(rows, 258), vocabulary)


def padded(flat, starts, lengths, width=None):
    """Pieces of a flat array → ids with [CLS] and [SEP], and the mask. Without a width the longest piece is asked for,
    and the device waited for."""
    width = width or -(-(int(lengths.max()) + 2) // 8) * 8
    at = torch.arange(width, device=flat.device)[None] - 1
    ids = flat[(starts[:, None] + at).clamp(0, len(flat) - 1)].long()
    ids = torch.where(at < lengths[:, None], ids, 0)
    ids[:, 0] = CLS
    ids.scatter_(1, lengths[:, None] + 1, SEP)
    return ids, at <= lengths[:, None]


def bags(ids, mask, vocabulary):
    real = mask & (ids != CLS) & (ids != SEP)
    return torch.zeros(len(ids), vocabulary, device=ids.device).scatter_add_(1, ids, real.float())


class Bm25:
    """A dense passages × vocabulary matrix of BM25 weights with idf inside; a query is its counts."""

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
def vectors(model, texts, longest, dtype, batch=512):
    """The encoder's mean-pooled unit vectors."""
    found = torch.empty(len(texts), 384, device=texts.ids.device)
    for rows in texts.lengths.argsort().split(batch):
        ids, mask = texts.rows(rows, longest)
        with torch.autocast(ids.device.type, dtype, enabled=dtype != torch.float32):
            found[rows] = pooled(model.states(ids, mask), mask)
    return found


class Source:
    """The pairs of one source with their teacher; a few pairs, and every pair with their passages, are held out."""

    def __init__(self, pack, name, teacher, options, dtype, generator):
        device = options.device
        self.name = name
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
        self.neighbours = self.mine(teacher, options, dtype)
        self.generator, self.waiting = torch.Generator(device).manual_seed(options.seed), self.training[:0]

    @torch.no_grad()
    def mine(self, teacher, options, dtype):
        """For every training query the pairs whose passages the teacher (without --plus: BM25) likes best."""
        weight = TEACHER_LAMBDA if options.plus else 0.0
        queries = vectors(teacher, self.queries, options.query_tokens, dtype)
        found = torch.zeros(len(self.queries), NEIGHBOURS, dtype=torch.long, device=options.device)
        for rows in self.training.split(2048):
            counts = self.queries.counts(rows, options.vocabulary).to(dtype)
            scores = (counts @ self.bm25.matrix.T).float() + weight * queries[rows] @ self.vectors.T
            scores[:, self.pair_of < 0] = -1.0
            scores.scatter_(1, self.positive[rows, None], -1.0)
            found[rows] = self.pair_of[scores.topk(NEIGHBOURS, 1).indices]
        return torch.where(found < 0, self.training[:1], found)

    def batch(self, pairs, group):
        """Pairs in groups: one in turn, the others drawn from its neighbours, so that each is hard for the rest."""
        seeds = pairs // group
        while len(self.waiting) < seeds:
            shuffled = torch.randperm(len(self.training), generator=self.generator, device=self.generator.device)
            self.waiting = torch.cat([self.waiting, self.training[shuffled]])
        first, self.waiting = self.waiting[:seeds], self.waiting[seeds:]
        drawn = torch.rand(seeds, NEIGHBOURS, generator=self.generator, device=first.device).argsort(1)[:, : group - 1]
        return torch.cat([first, self.neighbours[first].gather(1, drawn).flatten()])

    def teacher_scores(self, ids, mask, query_vectors, passages, vocabulary):
        counts = bags(ids, mask, vocabulary).to(self.bm25.matrix.dtype)
        lexical = (counts @ self.bm25.matrix[passages].T).float()
        return lexical + TEACHER_LAMBDA * query_vectors @ self.vectors[passages].T
