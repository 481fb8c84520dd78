"""Distills the built-in encoder: a few layers of a sentence encoder learn the vectors of several teachers.

    python3 bench/train/distill.py --data $SLUICE_DATA --weights FOLDER --out OUT.safetensors

FOLDER holds NAME.safetensors for every teacher (weights.ts writes them) and the tokenizer's vocab.txt. Texts are the pairs of
data/pairs: queries, passages, and random parts of passages, so that no text is seen often. No text, query or judgment of a
collection gives a gradient. Test queries are only measured, after the last step; what is chosen is chosen on scifact's train
and nfcorpus's dev queries.

The teachers' vectors, each times the root of its weight, stand side by side in one longer vector; its inner product is the
weighted mean of the teachers' cosines. The 384 principal directions of these vectors keep nearly all of it. A rotation turns
the result as close as possible to the vectors of the encoder that the student starts from.
"""

import argparse
import gzip
import json
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import BertWordPieceTokenizer

from model import Model, pooled, read_safetensors, write_safetensors

# Pooling, and what a teacher wants before a query and before a passage.
TEACHERS = {
    "bge": ("cls", "Represent this sentence for searching relevant passages: ", ""),
    "e5": ("mean", "query: ", "passage: "),
    "minilm": ("mean", "", ""),
}
TESTS = [(name, "test") for name in ("scifact", "nfcorpus", "cranfield", "cisi", "med")]
VALIDATION = [("scifact", "train"), ("nfcorpus", "dev")]
LAMBDAS = (7, 10, 14, 20, 28, 40, 56, 80, 110)
WIDTH = 384
# Tokens of the longest texts in training and in the evaluation, with [CLS] and [SEP].
QUERY_TOKENS, PASSAGE_TOKENS, EVALUATION_TOKENS = 48, 160, (64, 256)


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="the folder with pairs/ and, for the evaluation, evaluation.npz")
    parser.add_argument("--weights", required=True, help="the folder with the teachers' weights and vocab.txt")
    parser.add_argument("--teachers", default="bge=1,minilm=0.3", help="names and weights")
    parser.add_argument("--start", default="bge", help="the teacher whose layers the student starts from")
    parser.add_argument("--layers", default="0,2,4,7,9,11", help="these of its layers")
    parser.add_argument("--parts", type=int, default=3, help="random parts of each passage that are texts of their own")
    parser.add_argument("--seconds", type=float, default=500, help="time of the training steps")
    parser.add_argument("--pairs", type=int, default=1536, help="pairs of a batch")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--most", type=int, default=0, help="pairs to read; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-teachers", default="", help="only measure these mixtures, separated by ;")
    parser.add_argument("--out")
    return parser.parse_args()


class Tokens:
    """Token ids of many texts in one flat array, without [CLS] and [SEP]."""

    def __init__(self, lists):
        self.lengths = torch.tensor([len(ids) for ids in lists])
        self.starts = self.lengths.cumsum(0) - self.lengths
        self.flat = torch.from_numpy(np.concatenate([np.asarray(ids, dtype=np.int32) for ids in lists] or [[]])).cuda()

    def batch(self, starts, lengths, longest, prefix=()):
        """Ids with [CLS], a prefix and [SEP], and the mask, as wide as the longest of them."""
        lengths = lengths.clamp(max=longest - 2)
        width = -(-(int(lengths.max()) + len(prefix) + 2) // 8) * 8
        starts, lengths = starts.cuda(non_blocking=True), lengths.cuda(non_blocking=True)
        at = torch.arange(width, device="cuda")[None] - 1 - len(prefix)
        ids = self.flat[(starts[:, None] + at).clamp(0, len(self.flat) - 1)].long()
        ids = torch.where(at < lengths[:, None], ids, 0)
        ids[:, : len(prefix) + 1] = torch.tensor([101, *prefix], device="cuda")
        ids.scatter_(1, lengths[:, None] + len(prefix) + 1, 102)
        return ids, at <= lengths[:, None]


class Encoder:
    """A BERT that gives vectors of length 1."""

    def __init__(self, path, pooling, layers=None):
        weights = {name: value.float() for name, value in read_safetensors(path).items() if "pooler" not in name}
        weights.pop("embeddings.position_ids", None)
        found = sorted({int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")})
        kept = found if layers is None else layers
        renamed = {}
        for name, value in weights.items():
            parts = name.split(".")
            if name.startswith("encoder.layer."):
                if int(parts[2]) not in kept:
                    continue
                parts[2] = str(kept.index(int(parts[2])))
            renamed[".".join(parts)] = value
        self.model = Model(lexical=False, semantic="none", layers=len(kept), pooling=pooling).cuda()
        self.model.load_state_dict(renamed)

    def vectors(self, ids, mask):
        with torch.autocast("cuda", torch.bfloat16):
            states = self.model.states(ids, mask)
        return pooled(states, mask, self.model.pooling)

    @torch.no_grad()
    def all_vectors(self, tokens, starts, lengths, longest, prefix=(), texts=2048):
        found = torch.empty(len(starts), WIDTH, device="cuda")
        for rows in lengths.argsort().split(texts):
            found[rows.cuda()] = self.vectors(*tokens.batch(starts[rows], lengths[rows], longest, prefix))
        return found


class Teacher:
    """One vector of several encoders: side by side, turned by their principal directions, cut to the student's width."""

    def __init__(self, mixture, folder, tokenizer):
        self.parts = []
        for name, weight in mixture:
            pooling, query, passage = TEACHERS[name]
            encoder = Encoder(f"{folder}/{name}.safetensors", pooling)
            encoder.model.eval().requires_grad_(False)
            prefixes = [tokenizer.encode(text, add_special_tokens=False).ids if text else [] for text in (query, passage)]
            self.parts.append((encoder, math.sqrt(weight / sum(w for _, w in mixture)), prefixes))
        self.turn = None

    def learn(self, *passages):
        """Learns the directions from vectors of passages."""
        wide = self.wide(*passages, query=False)
        if len(self.parts) > 1:
            values, directions = torch.linalg.eigh(wide.T.double() @ wide.double())
            turn = directions[:, -WIDTH:].flip(1).float()
            left, _, right = torch.linalg.svd((wide @ turn).T @ wide[:, :WIDTH])
            self.turn = turn @ (left @ right)
            print(f"{WIDTH} directions keep {values[-WIDTH:].sum() / values.sum():.4f} of the teachers' vectors")

    def wide(self, tokens, starts, lengths, longest, query):
        side = [w * e.all_vectors(tokens, starts, lengths, longest, p[0 if query else 1]) for e, w, p in self.parts]
        return torch.cat(side, 1)

    def vectors(self, *texts, query):
        wide = self.wide(*texts, query=query)
        return wide if self.turn is None else F.normalize(wide @ self.turn, dim=-1)


class Evaluation:
    """nDCG@10 of BM25 + λ · cosine on five collections. evaluation.npz has texts, judgments, and BM25's scores by Sluice."""

    def __init__(self, path, tokenize):
        data = np.load(path, allow_pickle=False)
        texts = lambda name: Tokens(tokenize(json.loads(str(data[name])), 254))
        self.passages = {name: texts(f"{name}.passages") for name, _ in TESTS}
        self.queries = {split: texts(".".join(split) + ".queries") for split in TESTS + VALIDATION}
        self.bm25 = {split: torch.from_numpy(data[".".join(split) + ".bm25"]).float().cuda() for split in self.queries}
        self.grades = {}
        for split, scores in self.bm25.items():
            grades = torch.zeros_like(scores)
            query, passage, grade = torch.from_numpy(data[".".join(split) + ".judgments"]).long().cuda().T
            grades[query, passage] = grade.float()
            self.grades[split] = grades

    def ndcg(self, split, scores):
        discount = 1 / torch.log2(torch.arange(2, 12, device="cuda").float())
        gained = (self.grades[split].gather(1, scores.topk(10, 1).indices) * discount).sum(1)
        return (gained / (self.grades[split].topk(10, 1).values * discount).sum(1)).mean().item()

    def report(self, name, queries, passages=None):
        """`queries` and `passages` turn tokens into vectors."""
        encode = lambda kind, t, i, query: kind(t, t.starts, t.lengths, EVALUATION_TOKENS[i], query=query)
        docs = {c: encode(passages or queries, t, 1, False) for c, t in self.passages.items()}
        cosine = {s: encode(queries, t, 0, True) @ docs[s[0]].T for s, t in self.queries.items()}
        fused = lambda split, weight: self.ndcg(split, self.bm25[split] + weight * cosine[split])
        mean = lambda splits, weight: sum(fused(s, weight) for s in splits) / len(splits)
        best = max(LAMBDAS, key=lambda weight: mean(VALIDATION, weight))
        alone = sum(self.ndcg(s, cosine[s]) for s in TESTS) / len(TESTS)
        each = " ".join(f"{fused(s, best):.4f}" for s in TESTS)
        print(f"{name:44s} λ {best:2d} dev {mean(VALIDATION, best):.4f} alone {alone:.4f} fused {mean(TESTS, best):.4f} ({each})", flush=True)


def read_pairs(folder, most):
    pairs = []
    for name in sorted(os.listdir(f"{folder}/pairs")):
        with gzip.open(f"{folder}/pairs/{name}", "rt") as file:
            for line in file:
                pair = json.loads(line)
                pairs.append((pair["query"][:400], pair["positive"][:3000]))
    random.shuffle(pairs)
    return pairs[: most or None]


def main():
    args, began = options(), time.time()
    random.seed(args.seed), torch.manual_seed(args.seed)
    clock = lambda: f"[{time.time() - began:.0f} s]"
    tokenizer = BertWordPieceTokenizer(f"{args.weights}/vocab.txt", lowercase=True)
    tokenizer.no_padding()

    def tokenize(texts, longest):
        tokenizer.enable_truncation(longest)
        return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]

    def teacher_of(text):
        return Teacher([(n, float(w)) for n, w in (part.split("=") for part in text.split(","))], args.weights, tokenizer)

    pairs = read_pairs(args.data, args.most)
    queries, passages = Tokens(tokenize([q for q, _ in pairs], 62)), Tokens(tokenize([p for _, p in pairs], 510))
    print(f"{len(pairs)} pairs, {len(passages.flat)} tokens of passages {clock()}", flush=True)
    evaluation = Evaluation(f"{args.data}/evaluation.npz", tokenize)
    sample = (passages, passages.starts[:30000], passages.lengths[:30000], PASSAGE_TOKENS)
    for mixture in filter(None, args.only_teachers.split(";")):
        teacher = teacher_of(mixture)
        teacher.learn(*sample)
        evaluation.report(f"teachers {mixture} {clock()}", teacher.vectors)
    if args.only_teachers:
        return

    # The texts: every passage from its beginning, and random parts of it. They are rows of (start, length).
    starts, lengths = [passages.starts], [passages.lengths.clamp(max=PASSAGE_TOKENS - 2)]
    for _ in range(args.parts):
        length = torch.minimum(torch.randint(12, PASSAGE_TOKENS - 2, (len(pairs),)), passages.lengths)
        starts.append(passages.starts + (torch.rand(len(pairs)) * (passages.lengths - length + 1)).long())
        lengths.append(length)
    starts, lengths = torch.cat(starts), torch.cat(lengths)
    teacher = teacher_of(args.teachers)
    teacher.learn(*sample)
    evaluation.report(f"teachers {args.teachers} {clock()}", teacher.vectors)
    query_targets = teacher.vectors(queries, queries.starts, queries.lengths, QUERY_TOKENS, query=True).half()
    passage_targets = teacher.vectors(passages, starts, lengths, PASSAGE_TOKENS, query=False).half()
    print(f"the teachers' vectors of {len(queries.starts) + len(starts)} texts {clock()}", flush=True)

    student = Encoder(f"{args.weights}/{args.start}.safetensors", TEACHERS[args.start][0], [int(n) for n in args.layers.split(",")])
    parameters = list(student.model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=args.rate, weight_decay=0.01, fused=True)
    order, step, start, shown = [], 0, time.time(), 0.0
    while (share := (time.time() - start) / args.seconds) < 1:
        if not order:
            # Texts of similar length go together: sort within sixteen batches, then shuffle the batches.
            rows = torch.randint(0, args.parts + 1, (len(pairs),)) * len(pairs) + torch.randperm(len(pairs))
            for chunk in rows.split(16 * args.pairs):
                order += [b for b in chunk[lengths[chunk].argsort()].split(args.pairs) if len(b) == args.pairs]
            random.shuffle(order)
        texts = order.pop()
        pair = texts % len(pairs)
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1, (step + 1) / 100) * (1 - 0.98 * share)
        q = student.vectors(*queries.batch(queries.starts[pair], queries.lengths[pair], QUERY_TOKENS))
        p = student.vectors(*passages.batch(starts[texts], lengths[texts], PASSAGE_TOKENS))
        wanted_q, wanted_p = query_targets[pair.cuda()].float(), passage_targets[texts.cuda()].float()
        scores, wanted = q @ p.T / args.temperature, wanted_q @ wanted_p.T / args.temperature
        both_ways = sum(
            F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1), reduction="batchmean") for a, b in ((scores, wanted), (scores.T, wanted.T))
        )
        distance = 2 - (q * wanted_q).sum(1).mean() - (p * wanted_p).sum(1).mean()
        contrast = F.cross_entropy(scores, torch.arange(len(texts), device="cuda"))
        loss = both_ways + 2 * distance + 0.1 * contrast
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step += 1
        if step % 100 == 0:
            print(json.dumps({"step": step, "loss": round(loss.item(), 4), "divergence": round(both_ways.item(), 4),
                              "distance": round(distance.item(), 4), "seconds": round(time.time() - start, 1)}), flush=True)
        if share - shown > 0.25:
            shown = share
            evaluate(evaluation, student, teacher, f"step {step} {clock()}")
    evaluate(evaluation, student, teacher, f"{step} steps of {args.pairs} pairs {clock()}")
    if args.out:
        write_safetensors(args.out, student.model.state_dict())


def evaluate(evaluation, student, teacher, name):
    student.model.eval()
    vectors = lambda *texts, query: student.all_vectors(*texts)
    evaluation.report(name, vectors)
    evaluation.report("  its queries, the teachers' passages", vectors, teacher.vectors)
    student.model.train()


if __name__ == "__main__":
    main()
