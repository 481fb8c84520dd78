"""Evaluates a model on collections and held-out pairs: nDCG@10 and R@100 of its parts, of their sum, and of both densified."""

import torch

from data import Bm25, Texts, vectors
from model import winners

TESTS = ("scifact", "nfcorpus", "cranfield", "cisi", "med")
VALIDATION = (("scifact", "train"), ("nfcorpus", "dev"))
FACTORS = (0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0, 2.8, 4.0)


@torch.no_grad()
def encode(model, texts, rows, longest, batch=128):
    """Returns the lexical and semantic vectors of the rows, in float32."""
    parts = [[], []]
    order = texts.lengths[rows].argsort()
    for chunk in order.split(batch):
        for kept, part in zip(parts, model(*texts.rows(rows[chunk], longest))):
            kept.append(part)
    back = order.argsort()
    return [torch.cat(part)[back] if part[0] is not None else None for part in parts]


def scores(queries, passages):
    """Returns score matrices by name. A part that the model lacks scores 0."""
    (ql, qs), (dl, ds) = queries, passages
    blank = torch.zeros(1, 1, device=(ql if ql is not None else qs).device)
    found = {"semantic": qs @ ds.T if qs is not None else blank, "lexical": ql @ dl.T if ql is not None else blank}
    for dims in (768, 256, 128):
        found[f"DLR({dims})"] = winners(ql, dims) @ winners(dl, dims).T if ql is not None else blank
    return found


def rows_of_table(found, factor=1.0):
    """Returns all score matrices of a model: its parts and, if it has both, their sums, whole and densified."""
    lexical = {"lexical": found["lexical"], **{name: found[name] for name in found if name.startswith("DLR")}}
    semantic = found["semantic"]
    if found["lexical"].numel() == 1:
        return {"semantic": semantic}
    if semantic.numel() == 1:
        return lexical
    sums = {name.replace("lexical", "both").replace("DLR", "DHR"): m + factor * semantic for name, m in lexical.items()}
    return {**lexical, "semantic": semantic, **sums}


def metrics(matrix, judgments):
    """Mean nDCG@10 (linear gain) and R@100 over the queries that have a relevant passage."""
    device = matrix.device
    grades = torch.zeros(matrix.shape, device=device)
    query, passage, grade = judgments.long().to(device).view(-1, 3).T
    grades[query, passage] = grade.clamp(min=0).float()
    discount = 1 / torch.log2(torch.arange(2, 12, device=device).float())
    top = grades.gather(1, matrix.topk(min(100, matrix.shape[1]), 1).indices)
    ideal = (grades.topk(10, 1).values * discount).sum(1)
    asked = ideal > 0
    ndcg = (top[:, :10] * discount).sum(1)[asked] / ideal[asked]
    recall = (top > 0).sum(1)[asked] / (grades > 0).sum(1)[asked]
    return ndcg.mean().item(), recall.mean().item()


def reciprocal_rank(matrix, gold):
    """MRR@10. The only relevant column of row i is gold[i]."""
    rank = (matrix > matrix.gather(1, gold[:, None])).sum(1) + 1.0
    return torch.where(rank <= 10, 1 / rank, 0).mean().item()


class Evaluation:
    def __init__(self, pack, sources, options):
        self.pack, self.options = pack, options
        self.passages = {name: Texts(pack, f"{name}.passage", options.device) for name in TESTS}
        self.splits = [(name, "test") for name in TESTS] + list(VALIDATION)
        self.sources = sources

    def of(self, split):
        return Texts(self.pack, f"{'.'.join(split)}.query", self.options.device)

    def judgments(self, split):
        return self.pack[f"{'.'.join(split)}.judgments"]

    @torch.no_grad()
    def teacher(self, model):
        """BM25 over word pieces, the untrained encoder's vectors, and their sum."""
        table = {"BM25, word pieces": {}, "encoder": {}, "BM25 + λ · encoder": {}}
        for split in self.splits:
            texts, queries = self.passages[split[0]], self.of(split)
            bm25 = Bm25(texts, self.options.vocabulary, torch.float32)
            rows = torch.arange(len(queries), device=self.options.device)
            lexical = queries.counts(rows, self.options.vocabulary) @ bm25.matrix.T
            asked = vectors(model, queries, 64, torch.float32, self.options.teacher_prefix)
            cosine = asked @ vectors(model, texts, 256, torch.float32).T
            for row, matrix in zip(table.values(), (lexical, cosine, lexical + self.options.teacher_lambda * cosine)):
                row[split] = metrics(matrix, self.judgments(split))
        return table

    @torch.no_grad()
    def scores(self, model):
        """Score matrices of every split and of the held-out pairs of every source."""
        every = lambda texts: torch.arange(len(texts), device=self.options.device)
        encoded = {name: encode(model, texts, every(texts), 256) for name, texts in self.passages.items()}
        found = {}
        for split in self.splits:
            queries = self.of(split)
            found[split] = scores(encode(model, queries, every(queries), 64), encoded[split[0]])
        for source in self.sources:
            gold, inverse = source.positive[source.held_out].unique(return_inverse=True)
            others = source.positive[source.training[: 10 * len(gold)]].unique()
            passages = encode(model, source.passages, torch.cat([gold, others]), 256)
            queries = encode(model, source.queries, source.held_out, 64)
            found[(source.name, "held-out")] = {**scores(queries, passages), "gold": inverse}
        return found

    def table(self, found, factor=1.0):
        """Returns row of the table → split → nDCG@10 and R@100, or MRR@10 for held-out pairs."""
        table = {}
        for split, matrices in found.items():
            for name, matrix in rows_of_table(matrices, factor).items():
                held_out = split[1] == "held-out"
                value = (
                    (reciprocal_rank(matrix, matrices["gold"]), 0.0)
                    if held_out
                    else metrics(matrix, self.judgments(split))
                )
                table.setdefault(name, {})[split] = value
        return table

    def factors(self, found):
        """Measures each weight of the semantic part, as the mean of DHR(768) and DHR(128): on held-out pairs (MRR@10), and on
        judged splits that are not test splits (nDCG@10)."""
        by = {"held-out": {}, "judged": {}}
        untested = {split: value for split, value in found.items() if split[1] != "test"}
        for factor in FACTORS:
            table = self.table(untested, factor)
            for kind, means in by.items():
                splits = [split for split in untested if (split[1] == "held-out") == (kind == "held-out")]
                values = [table[name][split][0] for name in ("DHR(768)", "DHR(128)") for split in splits]
                means[factor] = round(sum(values) / len(values), 4)
        return by


def printed(table, title):
    """Formats a Markdown table: nDCG@10/R@100 of each test collection, their mean, and the validation splits."""
    splits = list(next(iter(table.values())))
    tests = [split for split in splits if split[1] == "test"]
    others = [split for split in splits if split[1] != "test"]
    lines = [f"| {title} | " + " | ".join([s[0] for s in tests] + ["mean"] + [" ".join(s) for s in others]) + " |"]
    lines.append("|---" * (len(splits) + 2) + "|")
    for name, row in table.items():
        cells = [f"{row[s][0]:.4f}/{row[s][1]:.4f}" for s in tests]
        cells.append(f"{sum(row[s][0] for s in tests) / len(tests):.4f}")
        cells += [f"{row[s][0]:.4f}" for s in others]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
