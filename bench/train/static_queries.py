"""Distills a table of word pieces that turns queries into an encoder's space: documents by the encoder, queries by the table.

    python3 bench/train/static_queries.py --data $SLUICE_DATA --weights FOLDER --encoder ENCODER.safetensors --out TABLE.safetensors

A query is the sum of its pieces' rows, each times the root of its count, at length 1. Training queries are those of data/pairs and
short parts of passages; the table learns the encoder's vector of each, and the encoder's ranking of a batch of passages.
"""

import argparse
import random
import time

import torch
import torch.nn.functional as F
from tokenizers import BertWordPieceTokenizer

from distill import PASSAGE_TOKENS, QUERY_TOKENS, WIDTH, Encoder, Evaluation, Tokens, read_pairs
from model import write_safetensors

PIECES = 30522
# Ids up to this one are special and unused tokens.
SPECIAL = 103


class Bags:
    """The pieces of texts with their counts, as one flat list."""

    def __init__(self, tokens, starts, lengths, longest):
        lengths = lengths.clamp(max=longest - 2)
        text = torch.repeat_interleave(torch.arange(len(starts)), lengths).cuda()
        begin = (lengths.cumsum(0) - lengths)[:, None]
        at = torch.repeat_interleave(starts - begin[:, 0], lengths).cuda() + torch.arange(len(text), device="cuda")
        pieces = tokens.flat[at].long()
        kept = pieces > SPECIAL
        pair, count = torch.unique(text[kept] * PIECES + pieces[kept], return_counts=True)
        self.pieces, self.roots = pair % PIECES, count.float().sqrt()
        self.counts = torch.bincount(pair // PIECES, minlength=len(starts))
        self.starts = self.counts.cumsum(0) - self.counts

    def rows(self, texts):
        counts = self.counts[texts]
        ends = counts.cumsum(0)
        flat = torch.arange(int(ends[-1]), device="cuda") + torch.repeat_interleave(self.starts[texts] - ends + counts, counts)
        return self.pieces[flat], ends - counts, self.roots[flat]


def vectors(table, bags, texts):
    pieces, offsets, roots = bags.rows(texts)
    return F.normalize(F.embedding_bag(pieces, table, offsets, mode="sum", per_sample_weights=roots) + 1e-8, dim=-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--data", required=True), add("--weights", required=True), add("--encoder", required=True), add("--out", required=True)
    add("--pooling", default="cls"), add("--most", type=int, default=0), add("--seed", type=int, default=1)
    add("--steps", type=int, default=900), add("--batch", type=int, default=8192), add("--rate", type=float, default=6e-3)
    add("--temperature", type=float, default=0.05)
    args, began = parser.parse_args(), time.time()
    clock = lambda: f"[{time.time() - began:.0f} s]"
    random.seed(args.seed), torch.manual_seed(args.seed)
    tokenizer = BertWordPieceTokenizer(f"{args.weights}/vocab.txt", lowercase=True)
    tokenizer.no_padding()

    def tokenize(texts, longest):
        tokenizer.enable_truncation(longest)
        return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]

    pairs = read_pairs(args.data, args.most)
    queries, passages = Tokens(tokenize([q for q, _ in pairs], 62)), Tokens(tokenize([p for _, p in pairs], 254))
    evaluation = Evaluation(f"{args.data}/evaluation.npz", tokenize)
    encoder = Encoder(args.encoder, args.pooling)
    encoder.model.eval().requires_grad_(False)
    wanted_p = encoder.all_vectors(passages, passages.starts, passages.lengths, PASSAGE_TOKENS)
    # Two kinds of queries, each with the passage it belongs to: those of the pairs, and short parts of passages.
    length = torch.minimum(torch.randint(4, 24, (len(pairs),)), passages.lengths)
    begin = passages.starts + (torch.rand(len(pairs)) * (passages.lengths - length + 1)).long()
    kinds = []
    for texts in ((queries, queries.starts, queries.lengths), (passages, begin, length)):
        kinds.append((Bags(*texts, QUERY_TOKENS), encoder.all_vectors(*texts, QUERY_TOKENS)))
    print(f"{len(pairs)} pairs encoded {clock()}", flush=True)

    singles = Tokens([[piece] for piece in range(PIECES)])
    first = encoder.all_vectors(singles, singles.starts, singles.lengths, 3)
    seen = torch.bincount(passages.flat.long(), minlength=PIECES).float()
    mean = (first * seen[:, None]).sum(0) / seen.sum()
    table = (first - mean) * torch.log(1 + seen.sum() / 100 / (1 + seen))[:, None]
    table = torch.nn.Parameter(table / table.norm(dim=1).mean())
    optimizer = torch.optim.Adam([table], lr=args.rate)
    for step in range(args.steps):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1, (step + 1) / 50) * (1 - 0.95 * step / args.steps)
        bags, wanted_q = kinds[1 if step % 4 == 3 else 0]
        rows = torch.randint(0, len(pairs), (args.batch,), device="cuda")
        q, p = vectors(table, bags, rows), wanted_p[rows]
        scores, wanted = q @ p.T / args.temperature, wanted_q[rows] @ p.T / args.temperature
        divergence = F.kl_div(F.log_softmax(scores, 1), F.softmax(wanted, 1), reduction="batchmean")
        distance = 1 - (q * wanted_q[rows]).sum(1).mean()
        loss = divergence + 2 * distance + 0.1 * F.cross_entropy(scores, torch.arange(args.batch, device="cuda"))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 150 == 149:
            print(f"step {step + 1} divergence {divergence:.4f} distance {distance:.4f} {clock()}", flush=True)

    with torch.no_grad():
        every = lambda bags: torch.arange(len(bags.counts), device="cuda")

        def by_table(tokens, starts, lengths, longest, query, power=0.0):
            bags = Bags(tokens, starts, lengths, longest)
            sizes = (bags.counts.float() / 12) ** power
            return vectors(table, bags, every(bags)) * sizes[:, None]

        by_encoder = lambda *texts, query: encoder.all_vectors(*texts)
        evaluation.report("queries and passages by the encoder", by_encoder)
        evaluation.report("queries by the table", by_table, by_encoder)
        longer = lambda *texts, query: by_table(*texts, query, 0.5)
        evaluation.report("queries by the table, length √(pieces / 12)", longer, by_encoder)
        longest = lambda *texts, query: by_table(*texts, query, 1.0)
        evaluation.report("queries by the table, length pieces / 12", longest, by_encoder)
    write_safetensors(args.out, {"table": table})


if __name__ == "__main__":
    main()
