"""The reference for our own trainer: trains the joint model in PyTorch, in bfloat16 on a GPU or in float32 on a CPU, from
all-MiniLM-L6-v2 on data/pairs, and evaluates it zero-shot. We wrote it from the paper. It needs only PyTorch.

    npm run build && SLUICE_DATA=… node dist/bench/train/pack.js pack.safetensors
    python3 bench/train/pytorch.py --pack pack.safetensors --encoder …/minilm-l6-v2/model.safetensors --out OUT \
        --head delade+pooled --plus --seconds 212

Without --plus a run is the paper's: NLL over the batch, with neighbors found by BM25. With --plus the teacher finds the
neighbors, the scores follow the teacher's (KL), and a pooled semantic part stays close to the untrained encoder's vectors.
With --layers 12 --pooling cls the encoder may be bge-small-en-v1.5. Both input files may be .xz. It writes model.safetensors,
results.json and curve.csv, and prints Markdown.

The weight of the pooled semantic score is chosen after the training, on held-out pairs. Results on scifact's train and
nfcorpus's dev queries are shown too; they are not used for training either.
"""

import argparse
import json
import os
import time

import torch
import torch.nn.functional as F

from data import Source
from evaluate import Evaluation, printed
from model import Model, check, pooled, read_safetensors, winners, write_safetensors

WORDS = "embeddings.word_embeddings.weight"
# Share of the batches from each source. Scientific and medical sources get more than their size.
SOURCES = {"acl": 0.42, "medquad": 0.2, "debian": 0.15, "natural": 0.23}


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--pack", required=True, help="the file that pack.ts wrote")
    add("--encoder", required=True, help="model.safetensors of all-MiniLM-L6-v2, or of another encoder of its width")
    add("--layers", type=int, default=6, help="layers of the encoder")
    add("--pooling", default="mean", choices=["mean", "cls"], help="how the encoder's vectors are made")
    add("--out", required=True, help="folder for the checkpoint, the curve and the results")
    add("--head", default="delade+pooled", choices=["delade", "dense", "delade+cls", "delade+pooled"])
    add("--teacher-lambda", type=float, default=20.0, help="weight of the cosine, relative to BM25, in the teacher")
    add("--teacher-prefix", type=int, nargs="*", default=[], help="token ids that only the teacher reads before a query")
    add("--cls-width", type=int, default=128, help="width of [CLS] in delade+cls; 0 means delade")
    add("--plus", action="store_true", help="distill, and find neighbors with the teacher")
    add("--seconds", type=float, default=212, help="seconds of training, including the warm-up")
    add("--seed", type=int, default=1)
    add("--pairs", type=int, default=384, help="pairs in a batch")
    add("--group", type=int, default=8, help="pairs of a batch that are neighbors of each other; 1 for none")
    add("--dims", type=int, default=128, help="slices of the densified scores, which are half of the loss; 0 for none")
    add("--scale", type=float, default=40.0, help="initial weight of the cosine, in delade+pooled and dense")
    add("--softness", type=float, default=2.0, help="divisor of the scores in the NLL")
    add("--kl", type=float, default=0.3, help="weight of the KL divergence from the teacher (with --plus)")
    add("--temperature", type=float, default=3.0, help="divisor of the scores in the KL divergence")
    add("--lexical", type=float, default=0.5, help="weight of the lexical part's own NLL in a joint model")
    add("--anchor", type=float, default=20.0, help="weight of 1 − cosine to the untrained vectors (with --plus)")
    add("--warm-up", type=int, default=200, help="steps in which the head learns to predict its own token")
    add("--lr", type=float, nargs=2, default=(4e-5, 2e-4), help="learning rates of the encoder and of the heads")
    add("--passage-tokens", type=int, default=192)
    add("--query-tokens", type=int, default=32)
    add("--steps", type=int, default=10**9, help="stop after this many steps (for trials)")
    add("--sources", nargs="+", default=list(SOURCES), choices=list(SOURCES))
    add("--time-step", action="store_true", help="time a step of 192 pairs of 32 + 150 tokens first")
    add("--no-evaluation", action="store_true")
    add("--without-words", action="store_true", help="write no embeddings of words, which stay as they were")
    options = parser.parse_args()
    options.device = "cuda" if torch.cuda.is_available() else "cpu"
    options.vocabulary = 30522
    if options.head == "delade+cls" and options.cls_width == 0:
        options.head = "delade"
    return options


def new_model(options):
    semantic = {"delade": "none", "dense": "pooled", "delade+cls": "cls", "delade+pooled": "pooled"}[options.head]
    shape = {"layers": options.layers, "pooling": options.pooling}
    model = Model(options.head != "dense", semantic, options.cls_width, **shape).load_encoder(options.encoder)
    if semantic == "pooled":
        torch.nn.init.constant_(model.semantic.scale, options.scale**0.5)
    return model.to(options.device)


def optimizer(model, rates):
    inner = [p for name, p in model.named_parameters() if name.startswith(("embeddings", "encoder")) and p.requires_grad]
    heads = [p for name, p in model.named_parameters() if name.startswith(("lexical", "semantic"))]
    groups = [{"params": inner, "lr": rates[0], "base": rates[0]}, {"params": heads, "lr": rates[1], "base": rates[1]}]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=torch.cuda.is_available())


def nll(scores, excluded, softness=1.0):
    """Query i's own passage is column i. `excluded` columns are neither positives nor negatives."""
    return F.cross_entropy((scores / softness).masked_fill(excluded, -1e4), torch.arange(len(scores), device=scores.device))


def kl(teacher, scores, excluded, temperature):
    target = (teacher / temperature).masked_fill(excluded, -1e4).log_softmax(1)
    return F.kl_div(
        (scores / temperature).masked_fill(excluded, -1e4).log_softmax(1), target, reduction="batchmean", log_target=True
    )


class Trainer:
    def __init__(self, options, model, teacher, sources):
        self.options, self.model, self.teacher, self.sources = options, model, teacher, sources
        self.dtype = torch.bfloat16 if options.device == "cuda" else torch.float32
        self.words = model.words.detach().to(self.dtype)
        self.random = torch.Generator().manual_seed(options.seed)
        self.curve = []

    def autocast(self):
        return torch.autocast(self.options.device, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    def source(self):
        shares = torch.tensor([SOURCES[source.name] for source in self.sources])
        return self.sources[int(torch.multinomial(shares, 1, generator=self.random))]

    def update(self, optimizer, loss, factor):
        for group in optimizer.param_groups:
            group["lr"] = group["base"] * factor
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        optimizer.step()
        return norm

    def anchor(self, states, mask, target):
        return (1 - (pooled(states, mask, self.options.pooling) * target).sum(1)).mean()

    def warm_up(self, steps):
        """Trains every token to predict itself with a weight near √idf, before the training for ranking. The lexical part then
        starts out similar to BM25 at the teacher's scale. The vectors stay the same."""
        adamw = optimizer(self.model, (5e-5, 1e-3))
        for step in range(steps):
            source = self.source()
            passages = source.positive[source.batch(min(128, self.options.pairs), 1)]
            ids, mask = source.passages.rows(passages, self.options.passage_tokens, self.options.passage_tokens)
            with self.autocast():
                states = self.model.states(ids, mask)
                at = torch.nonzero((mask & (torch.rand(ids.shape, device=ids.device) < 0.3)).flatten())[:, 0]
                logits = F.linear(self.model.lexical.transformed(states.flatten(0, 1)[at]), self.words)
                weights = self.model.lexical.weight(states)[..., 0].float()
            naming = F.cross_entropy(logits.float() + self.model.lexical.bias, ids.flatten()[at])
            wanted = (0.6 * source.bm25.idf).sqrt()[ids] * (ids >= 999)
            weighing = ((weights - wanted) ** 2)[:, 1:][mask[:, 1:]].mean()
            staying = self.anchor(states, mask, source.vectors[passages]) if self.options.plus else torch.zeros(())
            factor = min(1, step / 50) * (1 - 0.8 * step / steps)
            self.update(adamw, naming + weighing + self.options.anchor * staying, factor)
            if step % 100 == 99 or step == steps - 1:
                print(f"warm-up {step + 1} naming {naming:.3f} weights {weighing:.3f} anchor {staying:.4f}", flush=True)

    def loss(self, source, pairs):
        """Returns the loss of a batch, and its parts by name."""
        o, passages = self.options, source.positive[pairs]
        ids, mask = source.queries.rows(pairs, o.query_tokens, o.query_tokens)
        passage_ids, passage_mask = source.passages.rows(passages, o.passage_tokens, o.passage_tokens)
        with torch.no_grad(), self.autocast():
            asked = source.queries.rows(pairs, o.query_tokens, o.query_tokens, o.teacher_prefix)
            untrained = pooled(self.teacher.states(*asked), asked[1], o.pooling)
        teacher = source.teacher_scores(ids, mask, untrained, passages, o.vocabulary)
        with self.autocast():
            ql, qs, q_states = self.model(ids, mask, self.words)
            dl, ds, d_states = self.model(passage_ids, passage_mask, self.words)
        same = passages[:, None] == passages[None]
        same.fill_diagonal_(False)
        # A passage that the teacher scores above the positive may be relevant. It is no negative; only the KL uses it.
        doubtful = same | (teacher > teacher.diagonal()[:, None]) if o.plus else same
        semantic = qs @ ds.T if qs is not None else 0.0
        totals = [semantic]
        if ql is not None:
            totals = [ql @ dl.T + semantic]
            if o.dims:
                totals.append(winners(ql, o.dims) @ winners(dl, o.dims).T + semantic)
        parts = {"nll": sum(nll(total, doubtful, o.softness) for total in totals) / len(totals)}
        if ql is not None and qs is not None and o.lexical:
            parts["lexical"] = o.lexical * nll(totals[0] - semantic, doubtful, o.softness)
        if o.plus:
            parts["kl"] = o.kl * o.temperature * sum(kl(teacher, s, same, o.temperature) for s in totals) / len(totals)
            if o.head.endswith("pooled"):
                apart = self.anchor(q_states, mask, untrained) + self.anchor(d_states, passage_mask, source.vectors[passages])
                parts["anchor"] = o.anchor * apart / 2
        return sum(parts.values()), parts

    def train(self, until):
        adamw, begin, step, shown = optimizer(self.model, self.options.lr), time.time(), 0, None
        while step < self.options.steps:
            passed = (time.time() - begin) / max(1e-6, until - begin)
            if passed >= 1:
                break
            source = self.source()
            loss, parts = self.loss(source, source.batch(self.options.pairs, self.options.group))
            norm = self.update(adamw, loss, min(1, (step + 1) / 100) * (1 - 0.95 * passed))
            step += 1
            if step % 20 == 0 or step == self.options.steps:
                values = {name: value.item() for name, value in parts.items()}
                if not all(abs(value) < 1e6 for value in values.values()):
                    raise SystemExit(f"step {step}: the loss is {values}, the run has diverged")
                values |= {"norm": norm.item(), "scale": self.scale()}
                shown = values if shown is None else {k: 0.9 * shown[k] + 0.1 * values[k] for k in values}
                self.curve.append({"step": step, "seconds": round(time.time() - begin, 1), "source": source.name, **values})
            if step % 500 == 0:
                rate = step * self.options.pairs / (time.time() - begin)
                text = " ".join(f"{name} {value:.4f}" for name, value in shown.items())
                print(f"{step} {time.time() - begin:.0f} s {rate:.0f} pairs/s {text}", flush=True)
        return step, time.time() - begin

    def write_curve(self, path):
        names = list(dict.fromkeys(name for row in self.curve for name in row))
        with open(path, "w") as file:
            file.write(",".join(names) + "\n")
            file.writelines(",".join(str(row.get(name, "")) for name in names) + "\n" for row in self.curve)

    def scale(self):
        semantic = getattr(self.model, "semantic", None)
        return semantic.scale.item() if hasattr(semantic, "scale") else 0.0


def timed_step(options, rounds=20):
    """Returns the median seconds of a whole step (forward, backward, AdamW): 192 pairs of 32 + 150 tokens, NLL over the batch."""
    model = new_model(options)
    trainer = Trainer(options, model, None, [])
    adamw, device, times = optimizer(model, options.lr), options.device, []
    for _ in range(rounds + 5):
        ids = [torch.randint(1000, 30000, (192, width), device=device) for width in (32, 150)]
        begin = time.time()
        with trainer.autocast():
            (ql, qs, _), (dl, ds, _) = [model(x, torch.ones_like(x, dtype=torch.bool), trainer.words) for x in ids]
        total = sum(q @ d.T for q, d in ((ql, dl), (qs, ds)) if q is not None)
        trainer.update(adamw, nll(total, torch.zeros_like(total, dtype=torch.bool)), 1.0)
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.time() - begin)
    return sorted(times[5:])[rounds // 2]


def evaluated(model, teacher, evaluation, options):
    """Evaluates the model as it will be written: rounded to float16, and with the best weight of the semantic score."""
    model.load_state_dict({name: value.half() for name, value in model.state_dict().items()})
    found, results = evaluation.scores(model), {}
    table = evaluation.table(found)
    if options.head == "delade+pooled":
        results["factors"] = evaluation.factors(found)
        best = max(results["factors"]["held-out"], key=results["factors"]["held-out"].get)
        print(f"semantic score × {best} of", json.dumps(results["factors"]))
        with torch.no_grad():
            model.semantic.scale.mul_(best**0.5)
        table = evaluation.table(found, best)
    tables = {"reference": evaluation.teacher(teacher), options.head: table}
    for title, table in tables.items():
        print(printed(table, title), flush=True)
    flat = lambda table: {name: {" ".join(split): v for split, v in row.items()} for name, row in table.items()}
    return {**results, "tables": {title: flat(table) for title, table in tables.items()}}


def write_model(model, options):
    """Writes the model. --without-words leaves out the embeddings of words: the encoder that it began with has the same."""
    written = {name: value for name, value in model.state_dict().items() if name != WORDS or not options.without_words}
    write_safetensors(f"{options.out}/model.safetensors", written)


def prepared(options):
    """Loads what runs on the same data share: the pack, the untrained encoder and the sources."""
    started = time.time()
    torch.set_float32_matmul_precision("high")
    pack = read_safetensors(options.pack)
    shape = {"layers": options.layers, "pooling": options.pooling}
    teacher = Model(lexical=False, semantic="none", **shape).load_encoder(options.encoder)
    teacher = teacher.to(options.device).requires_grad_(False)
    dtype = torch.float16 if options.device == "cuda" else torch.float32
    generator = torch.Generator().manual_seed(0)
    sources = [Source(pack, name, teacher, options, dtype, generator) for name in options.sources]
    print(f"ready after {time.time() - started:.0f} s: {sum(len(s.training) for s in sources)} pairs", flush=True)
    return pack, teacher, sources


def run(options, pack, teacher, sources):
    """Trains one model, evaluates it, and writes the results to options.out."""
    torch.manual_seed(options.seed)
    results = {"options": vars(options)}
    os.makedirs(options.out, exist_ok=True)
    model = new_model(options)
    trainer = Trainer(options, model, teacher, sources)
    begun = time.time()
    if options.head != "dense":
        trainer.warm_up(options.warm_up)
    print(f"warm-up took {time.time() - begun:.0f} s", flush=True)
    results["steps"], results["seconds"] = trainer.train(begun + options.seconds)
    print(f"{results['steps']} steps in {results['seconds']:.0f} s after the warm-up", flush=True)
    trainer.write_curve(f"{options.out}/curve.csv")
    write_model(model, options)
    if not options.no_evaluation:
        results |= evaluated(model, teacher, Evaluation(pack, sources, options), options)
        write_model(model, options)
    with open(f"{options.out}/results.json", "w") as file:
        json.dump(results, file, indent=1)
    print(f"{options.out}: all in {time.time() - begun:.0f} s", flush=True)


def main():
    options = parsed()
    print(json.dumps({"torch": torch.__version__, "head error": check(), **vars(options)}), flush=True)
    if options.time_step:
        torch.set_float32_matmul_precision("high")
        print(f"a step of 192 pairs of 32 + 150 tokens: {1000 * timed_step(options):.1f} ms", flush=True)
    run(options, *prepared(options))


if __name__ == "__main__":
    main()
