"""Trains a lexical part that begins at BM25: a network on the states of a frozen encoder learns a factor for every occurrence
of a word.

    python3 bench/train/anchored.py --data $SLUICE_DATA --weights FOLDER --encoder ENCODER.safetensors --out OUT

FOLDER holds vocab.txt, stems.json (a word's stem by Sluice's English analyzer, as a number) and reranker.npz, the weights of a
cross-encoder. A document weighs a term BM25's tf part times the factor, a query count · idf times the factor. A factor is the
mean of exp(exponent) over the occurrences of the term; the exponent belongs to the word piece that begins the word, and is 0
before the first step. Groups of a query, its passage and seven passages that the first ranking confuses with it are scored by
the cross-encoder. Recipes differ in what the loss looks at; all are chosen on scifact's train and nfcorpus's dev queries.
"""

import argparse
import json
import math
import random
import re
import time

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import BertWordPieceTokenizer
from torch import nn

from distill import EVALUATION_TOKENS, TESTS, VALIDATION, WIDTH, Encoder, Evaluation, Tokens, read_pairs
from model import Model, write_safetensors

K1, B = 0.9, 0.4
QUERY_TOKENS, PASSAGE_TOKENS = 48, 128
GROUP = 8
WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
LAMBDAS = (14, 20, 28, 40, 56, 80, 110)
# Weights of the parts of the loss. `joint` and `lexical`: divergence from the teacher of the sum and of the lexical part alone;
# `batch`: NLL over the whole batch; `reranker`: the cross-encoder's share in the teacher, the rest are the vectors; `start`:
# the teacher is the first ranking plus this share of the cross-encoder; `held`: weight of the squared exponents.
RECIPES = {
    "lexical alone": dict(joint=0, lexical=1, batch=0.3, reranker=0.5, start=0, held=0),
    "joint score only": dict(joint=1, lexical=0, batch=0.3, reranker=0.5, start=0, held=0),
    "joint score only, exponents held": dict(joint=1, lexical=0, batch=0.1, reranker=1, start=0, held=1.0),
    "correction of the first ranking, held": dict(joint=1, lexical=0, batch=0, reranker=0, start=0.5, held=0.3),
    "both": dict(joint=1, lexical=0.5, batch=0.3, reranker=0.5, start=0, held=0.1),
}


class Words(Tokens):
    """Token ids, and beside them the term that begins at a token; 0 for none."""

    def __init__(self, texts, longest, tokenizer, stems):
        tokenizer.enable_truncation(longest)
        encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
        super().__init__([e.ids for e in encodings])
        terms = []
        for text, encoding in zip(texts, encodings):
            at = {m.start(): stems.get(m.group().lower(), 0) for m in WORD.finditer(text)}
            terms.append(np.array([at.get(begin, 0) for begin, _ in encoding.offsets], dtype=np.int32))
        self.terms = torch.from_numpy(np.concatenate(terms)).cuda()

    def with_terms(self, rows, longest):
        starts, lengths = self.starts[rows], self.lengths[rows]
        ids, mask = self.batch(starts, lengths, longest)
        at = torch.arange(ids.shape[1], device="cuda")[None] - 1
        real = (at >= 0) & (at < lengths.clamp(max=longest - 2).cuda()[:, None])
        terms = self.terms[(starts.cuda()[:, None] + at).clamp(0, len(self.terms) - 1)].long()
        return ids, mask, torch.where(real, terms, 0)

    def statistics(self, vocabulary, longest):
        """idf of every term, and the mean length in words."""
        text = torch.repeat_interleave(torch.arange(len(self.lengths)), self.lengths).cuda()
        begin = torch.repeat_interleave(self.starts, self.lengths).cuda()
        near = (torch.arange(len(self.terms), device="cuda") - begin) < longest - 2
        kept = near & (self.terms > 0)
        once = torch.unique(text[kept] * vocabulary + self.terms[kept].long())
        df = torch.bincount(once % vocabulary, minlength=vocabulary)
        return torch.log(1 + (len(self.lengths) - df + 0.5) / (df + 0.5)).float(), kept.sum() / len(self.lengths)


class Anchored(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))
        self.passage, self.query = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 1)
        for row in (self.passage, self.query):
            nn.init.zeros_(row.weight), nn.init.zeros_(row.bias)

    def exponents(self, states, query):
        states = 10 * F.normalize(states.float(), dim=-1)
        return (self.query if query else self.passage)(states + self.mix(states))[..., 0]


class Scorer:
    """Texts → weights of those terms that the queries of a batch hold."""

    def __init__(self, encoder, head, vocabulary):
        self.encoder, self.head, self.vocabulary = encoder, head, vocabulary
        self.place = torch.zeros(vocabulary, dtype=torch.long, device="cuda")

    def choose(self, terms):
        """The terms that are scored until the next call."""
        self.chosen = torch.unique(terms[terms > 0])
        self.place.zero_()
        self.place[self.chosen] = torch.arange(1, len(self.chosen) + 1, device="cuda")

    def weights(self, ids, mask, terms, query, idf=None, average=None):
        """Weights of the chosen terms, the squared exponents' mean, and the vectors."""
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            states = self.encoder.model.states(ids, mask)
        place, size = self.place[terms], (len(ids), len(self.chosen) + 1)
        counts = torch.zeros(size, device="cuda").scatter_add_(1, place, torch.ones_like(place, dtype=torch.float))
        exponents = self.head.exponents(states, query) if self.head else torch.zeros(ids.shape, device="cuda")
        sums = torch.zeros(size, device="cuda").scatter_add(1, place, torch.exp(exponents))
        factors = sums / counts.clamp(min=1)
        if query:
            found = counts * F.pad(idf[self.chosen], (1, 0)) * factors
        else:
            words = (terms > 0).sum(1, keepdim=True)
            found = counts / (counts + K1 * (1 - B + B * words / average)) * factors
        real = (terms > 0).float()
        return found[:, 1:], (exponents**2 * real).sum() / real.sum().clamp(min=1)


class Reranker:
    """The cross-encoder: a BERT over query and passage, a tanh layer and one number."""

    def __init__(self, path):
        stored = np.load(path)
        weights = {}
        for name in stored.files:
            if name.endswith(".u"):
                scale, zero = stored[name[:-2] + ".p"]
                weights[name[:-2]] = torch.tensor((stored[name].astype("f4") - zero) * scale)
            elif not name.endswith(".p"):
                weights[name] = torch.tensor(stored[name].astype("f4"))
        self.model = Model(lexical=False, semantic="none", layers=12).cuda()
        bert = {name[5:]: value for name, value in weights.items() if name.startswith("bert.") and "pooler" not in name}
        bert.pop("embeddings.position_ids", None)
        self.model.load_state_dict(bert)
        self.dense = [weights[f"bert.pooler.dense.{part}"].cuda() for part in ("weight", "bias")]
        self.out = [weights["classifier.weight"].reshape(1, WIDTH).cuda(), weights["classifier.bias"].cuda()]

    @torch.no_grad()
    def scores(self, queries, passages, query_rows, passage_rows, longest=176, texts=4096):
        found = torch.empty(len(query_rows), device="cuda")
        total = queries.lengths[query_rows] + passages.lengths[passage_rows]
        for rows in total.clamp(max=longest).argsort().split(texts):
            q, q_mask = queries.batch(queries.starts[query_rows[rows]], queries.lengths[query_rows[rows]], QUERY_TOKENS)
            p, p_mask = passages.batch(passages.starts[passage_rows[rows]], passages.lengths[passage_rows[rows]], PASSAGE_TOKENS)
            # The padding of the query lies between the two: positions are counted without it.
            width = q_mask.sum(1, keepdim=True)
            ids = torch.zeros(len(rows), longest, dtype=torch.long, device="cuda")
            at = torch.arange(longest, device="cuda")[None]
            ids[:, : q.shape[1]] = q * q_mask
            tail = (at - width + 1).clamp(0, p.shape[1] - 1)
            length = width + p_mask.sum(1, keepdim=True) - 1
            ids = torch.where((at >= width) & (at < length), p.gather(1, tail), torch.where(at < width, ids, 0))
            types = (at >= width).long().expand_as(ids)
            with torch.autocast("cuda", torch.bfloat16):
                first = self.model.states(ids, at < length, types)[:, 0].float()
            found[rows.cuda()] = F.linear(torch.tanh(F.linear(first, *self.dense)), *self.out)[:, 0]
        return found


class Judge:
    """nDCG@10 of the lexical part, of the vectors, and of their sum."""

    def __init__(self, evaluation, words, vocabulary, encoder):
        self.evaluation, self.words, self.vocabulary, self.encoder = evaluation, words, vocabulary, encoder
        all_vectors = lambda t, longest: encoder.all_vectors(t, t.starts, t.lengths, longest)
        docs = {name: all_vectors(words[name], EVALUATION_TOKENS[1]) for name, _ in TESTS}
        self.cosine = {s: all_vectors(words[s], EVALUATION_TOKENS[0]) @ docs[s[0]].T for s in TESTS + VALIDATION}
        self.statistics = {name: words[name].statistics(vocabulary, 400) for name, _ in TESTS}

    @torch.no_grad()
    def lexical(self, scorer, split):
        idf, average = self.statistics[split[0]]
        queries, passages = self.words[split], self.words[split[0]]
        every = torch.arange(len(queries.lengths))
        ids, mask, terms = queries.with_terms(every, 64)
        scorer.choose(terms)
        asked, _ = scorer.weights(ids, mask, terms, True, idf=idf)
        found = torch.empty(len(every), len(passages.lengths), device="cuda")
        for rows in torch.arange(len(passages.lengths)).split(256):
            weights, _ = scorer.weights(*passages.with_terms(rows, 400), False, average=average)
            found[:, rows.cuda()] = asked @ weights.T
        return found

    def report(self, name, scorer, clock):
        scores = {split: self.lexical(scorer, split) for split in TESTS + VALIDATION}
        ndcg = lambda split, weight: self.evaluation.ndcg(split, scores[split] + weight * self.cosine[split])
        mean = lambda splits, weight: sum(ndcg(s, weight) for s in splits) / len(splits)
        best = max(LAMBDAS, key=lambda weight: mean(VALIDATION, weight))
        print(
            f"{name:40s} lexical dev {mean(VALIDATION, 0):.4f} test {mean(TESTS, 0):.4f} "
            f"({' '.join(f'{ndcg(s, 0):.4f}' for s in TESTS)}) joint λ {best} dev {mean(VALIDATION, best):.4f} "
            f"test {mean(TESTS, best):.4f} ({' '.join(f'{ndcg(s, best):.4f}' for s in TESTS)}) {clock()}",
            flush=True,
        )


@torch.no_grad()
def mined(queries, passages, rows, scorer, statistics, q_vectors, p_vectors, weight):
    """For every query seven of the 30 passages that the first ranking puts highest beside its own."""
    idf, average = statistics
    groups = []
    for chunk in rows.split(256):
        ids, mask, terms = queries.with_terms(chunk, QUERY_TOKENS)
        scorer.choose(terms)
        asked, _ = scorer.weights(ids, mask, terms, True, idf=idf)
        scores = weight * q_vectors[chunk.cuda()] @ p_vectors.T
        scores += lexical_start(asked, passages, scorer, average)
        scores[torch.arange(len(chunk), device="cuda"), chunk.cuda()] = -1e9
        top = scores.topk(30, 1).indices.cpu()
        drawn = torch.rand(len(chunk), 30).argsort(1)[:, : GROUP - 1]
        groups.append(torch.cat([chunk[:, None], top.gather(1, drawn)], 1))
    return torch.cat(groups)


def lexical_start(asked, passages, scorer, average):
    """BM25 of some queries with all passages, from their postings."""
    place = scorer.place[passages.kept_terms]
    near = place > 0
    weights = passages.kept_values[near]
    matrix = torch.sparse_coo_tensor(
        torch.stack([passages.kept_texts[near], place[near] - 1]), weights, (len(passages.lengths), asked.shape[1])
    )
    return torch.sparse.mm(matrix, asked.T).T


def keep_postings(passages, average, vocabulary):
    """(text, term, BM25's tf part) of all passages, cut to the tokens of training."""
    text = torch.repeat_interleave(torch.arange(len(passages.lengths)), passages.lengths).cuda()
    begin = torch.repeat_interleave(passages.starts, passages.lengths).cuda()
    kept = ((torch.arange(len(passages.terms), device="cuda") - begin) < PASSAGE_TOKENS - 2) & (passages.terms > 0)
    words = torch.bincount(text[kept], minlength=len(passages.lengths))
    pair, count = torch.unique(text[kept] * vocabulary + passages.terms[kept].long(), return_counts=True)
    passages.kept_texts, passages.kept_terms = pair // vocabulary, pair % vocabulary
    passages.kept_values = count / (count + K1 * (1 - B + B * words[passages.kept_texts] / average))


def train(name, recipe, args, parts, clock):
    encoder, queries, passages, statistics, groups, reranked, q_vectors, p_vectors, vocabulary = parts
    torch.manual_seed(args.seed), random.seed(args.seed)
    head = Anchored().cuda()
    scorer, plain = Scorer(encoder, head, vocabulary), Scorer(encoder, None, vocabulary)
    weight = nn.Parameter(torch.tensor(math.log(args.weight), device="cuda"))
    optimizer = torch.optim.AdamW([*head.parameters(), weight], lr=5e-4, weight_decay=0.01)
    idf, average = statistics
    own = torch.arange(args.queries * GROUP, device="cuda").view(-1, GROUP)
    begun, step = time.time(), 0
    while (share := (time.time() - begun) / args.seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = 5e-4 * min(1, (step + 1) / 50) * (1 - 0.98 * share)
        rows = torch.randperm(len(groups))[: args.queries]
        asked_rows, passage_rows = groups[rows, 0], groups[rows].flatten()
        query_batch = queries.with_terms(asked_rows, QUERY_TOKENS)
        passage_batch = passages.with_terms(passage_rows, PASSAGE_TOKENS)
        scorer.choose(query_batch[2])
        asked, q_squares = scorer.weights(*query_batch, True, idf=idf)
        found, p_squares = scorer.weights(*passage_batch, False, average=average)
        lexical = asked @ found.T
        cosine = q_vectors[asked_rows.cuda()] @ p_vectors[passage_rows.cuda()].T
        joint = lexical + weight.exp() * cosine
        judged = reranked[rows.cuda()]
        target = recipe["reranker"] * F.softmax(judged / 1.5, 1) + (1 - recipe["reranker"]) * F.softmax(
            args.weight / 3 * cosine.gather(1, own), 1
        )
        if recipe["start"]:
            plain.place, plain.chosen = scorer.place, scorer.chosen
            with torch.no_grad():
                first = plain.weights(*query_batch, True, idf=idf)[0] @ plain.weights(*passage_batch, False, average=average)[0].T
            target = F.softmax((first + args.weight * cosine).gather(1, own) / 3 + recipe["start"] * judged, 1)
        divergence = lambda scores, by: F.kl_div(F.log_softmax(scores.gather(1, own) / by, 1), target, reduction="batchmean")
        truth = own[:, 0]
        loss = recipe["held"] * (q_squares + p_squares)
        if recipe["joint"]:
            loss = loss + recipe["joint"] * (divergence(joint, 3) + recipe["batch"] * F.cross_entropy(joint / 3, truth))
        if recipe["lexical"]:
            loss = loss + recipe["lexical"] * (divergence(lexical, 2) + recipe["batch"] * F.cross_entropy(lexical / 2, truth))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 200 == 0:
            print(json.dumps({"recipe": name, "step": step, "loss": round(loss.item(), 4), "squares": round((q_squares + p_squares).item(), 4)}), flush=True)
    return head, scorer, step


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--data", required=True), add("--weights", required=True), add("--encoder", required=True), add("--out", required=True)
    add("--pooling", default="cls")
    add("--recipes", default=";".join(RECIPES), help="names, separated by ;")
    add("--groups", type=int, default=40000), add("--most", type=int, default=120000), add("--queries", type=int, default=96)
    add("--seconds", type=float, default=60), add("--weight", type=float, default=40, help="λ of the first ranking")
    add("--seed", type=int, default=1)
    args, began = parser.parse_args(), time.time()
    clock = lambda: f"[{time.time() - began:.0f} s]"
    random.seed(args.seed), torch.manual_seed(args.seed)
    tokenizer = BertWordPieceTokenizer(f"{args.weights}/vocab.txt", lowercase=True)
    tokenizer.no_padding()
    with open(f"{args.weights}/stems.json") as file:
        stems = json.load(file)
    vocabulary = max(stems.values()) + 1
    words = lambda texts, longest: Words(texts, longest, tokenizer, stems)
    pairs = read_pairs(args.data, args.most)
    queries, passages = words([q for q, _ in pairs], QUERY_TOKENS - 2), words([p[:1500] for _, p in pairs], PASSAGE_TOKENS - 2)
    encoder = Encoder(args.encoder, args.pooling)
    encoder.model.eval().requires_grad_(False)
    data = np.load(f"{args.data}/evaluation.npz")
    texts = {name: words(json.loads(str(data[f"{name}.passages"])), 510) for name, _ in TESTS}
    texts |= {s: words(json.loads(str(data[".".join(s) + ".queries"])), 62) for s in TESTS + VALIDATION}
    print(f"texts {clock()}", flush=True)

    def tokenize(raw, longest):
        tokenizer.enable_truncation(longest)
        return [e.ids for e in tokenizer.encode_batch(raw, add_special_tokens=False)]

    judge = Judge(Evaluation(f"{args.data}/evaluation.npz", tokenize), texts, vocabulary, encoder)
    plain = Scorer(encoder, None, vocabulary)
    judge.report("start: BM25 and the vectors", plain, clock)
    statistics = passages.statistics(vocabulary, PASSAGE_TOKENS)
    keep_postings(passages, statistics[1], vocabulary)
    q_vectors = encoder.all_vectors(queries, queries.starts, queries.lengths, QUERY_TOKENS)
    p_vectors = encoder.all_vectors(passages, passages.starts, passages.lengths, PASSAGE_TOKENS)
    groups = mined(queries, passages, torch.arange(args.groups), plain, statistics, q_vectors, p_vectors, args.weight)
    print(f"mined {clock()}", flush=True)
    reranker = Reranker(f"{args.weights}/reranker.npz")
    asked = groups[:, :1].expand(-1, GROUP).flatten()
    reranked = reranker.scores(queries, passages, asked, groups.flatten()).view(-1, GROUP)
    print(f"the cross-encoder puts the own passage first: {(reranked.argmax(1) == 0).float().mean():.3f} {clock()}", flush=True)
    parts = (encoder, queries, passages, statistics, groups, reranked, q_vectors, p_vectors, vocabulary)
    for name in args.recipes.split(";"):
        head, scorer, steps = train(name, RECIPES[name], args, parts, clock)
        judge.report(f"{name} ({steps})", scorer, clock)
        tensors = {f"anchored.{key}": value for key, value in head.state_dict().items()}
        write_safetensors(f"{args.out}/anchored-{re.sub('[^a-z]+', '-', name)}.safetensors", tensors)


if __name__ == "__main__":
    main()
