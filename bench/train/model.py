"""The model of the PyTorch reference: a BERT encoder with the names of its safetensors file, the DeLADE head, and a semantic
part, which is the mean-pooled vector times a learned scale or a projection of [CLS].
"""

import json
import lzma
import math

import torch
import torch.nn.functional as F
from torch import nn

DTYPES = {"F16": torch.float16, "F32": torch.float32, "U16": torch.uint16, "I32": torch.int32}
CLS, SEP = 101, 102
# Leading ids that belong to no slice: special and unused tokens.
DROPPED = 570


def read_safetensors(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        data = bytearray(file.read())
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(data[start + begin : start + end] or bytearray(8), dtype=DTYPES[entry["dtype"]])
        tensors[name] = flat[: math.prod(entry["shape"])].reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    """Writes the tensors as float16, in the order given."""
    header, at = {}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [at, at + 2 * tensor.numel()]}
        at += 2 * tensor.numel()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(tensor.detach().half().cpu().contiguous().numpy().tobytes())


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        own = nn.ModuleDict({name: nn.Linear(width, width) for name in ("query", "key", "value")})
        out = nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)})
        self.attention = nn.ModuleDict({"self": own, "output": out})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = nn.ModuleDict({"dense": nn.Linear(inner, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)})

    def forward(self, x, mask):
        own, out = self.attention["self"], self.attention["output"]
        split = lambda y: y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(
            split(own["query"](x)), split(own["key"](x)), split(own["value"](x)), attn_mask=mask[:, None, None, :]
        )
        x = out["LayerNorm"](x + out["dense"](mixed.transpose(1, 2).flatten(2)))
        return self.output["LayerNorm"](x + self.output["dense"](F.gelu(self.intermediate["dense"](x))))


class MaxSoftmax(torch.autograd.Function):
    """x[v] = max over tokens of softmax(t·Eᵀ + bias)[v] · w, with E fixed.

    In a plain implementation autograd keeps five arrays of tokens × vocabulary. Only the token that wins a vocabulary entry
    has a gradient, so the probabilities and the winners are enough: dw is the sum over the entries that a token won, and the
    backward pass of softmax is that same sum times −w·p everywhere, plus the winners.
    """

    @staticmethod
    def forward(ctx, t, w, embeddings, bias):
        p = torch.softmax(F.linear(t, embeddings, bias), -1)
        x, winner = (p * w[..., None].to(p.dtype)).max(1)
        ctx.save_for_backward(p, w, embeddings, x, winner)
        return x

    @staticmethod
    def backward(ctx, gradient):
        p, w, embeddings, x, winner = ctx.saved_tensors
        won = p.gather(1, winner[:, None])[:, 0].to(w.dtype) * gradient.to(w.dtype) * (x > 0)
        dw = torch.zeros_like(w).scatter_add_(1, winner, won)
        dz = p * -(w * dw)[..., None].to(p.dtype)
        dz.scatter_add_(1, winner[:, None], (won * w.gather(1, winner))[:, None].to(p.dtype))
        return dz @ embeddings, dw, None, dz.sum((0, 1))


class Lexical(nn.Module):
    def __init__(self, width, vocabulary):
        super().__init__()
        self.transform = nn.ModuleDict({"dense": nn.Linear(width, width), "norm": nn.LayerNorm(width, eps=1e-12)})
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.weight = nn.Linear(width, 1)
        nn.init.eye_(self.transform["dense"].weight)
        nn.init.zeros_(self.transform["dense"].bias)
        nn.init.zeros_(self.weight.weight)
        nn.init.ones_(self.weight.bias)

    def transformed(self, states):
        return self.transform["norm"](F.gelu(self.transform["dense"](states)))

    def forward(self, states, mask, embeddings):
        """Token states without position 0 → a weight of at least 0 for every vocabulary entry."""
        weights = self.weight(states)[..., 0].float() * mask
        t = self.transformed(states).to(embeddings.dtype)
        with torch.autocast(states.device.type, enabled=False):
            return MaxSoftmax.apply(t, weights, embeddings, self.bias.to(embeddings.dtype)).float().clamp(min=0)


class Semantic(nn.Module):
    """Width 0: the pooled vector scaled to length `scale`. Otherwise: [CLS] projected to this width."""

    def __init__(self, width, projected, pooling):
        super().__init__()
        self.pooling = pooling
        if projected:
            self.projection = nn.Linear(width, projected)
            nn.init.normal_(self.projection.weight, std=0.02)
        else:
            self.scale = nn.Parameter(torch.tensor(math.sqrt(20.0)))

    def forward(self, states, mask):
        if hasattr(self, "projection"):
            return self.projection(states[:, 0]).float()
        return pooled(states, mask, self.pooling) * self.scale


def pooled(states, mask, pooling="mean"):
    """One vector of length 1: the mean of the states, or the state of [CLS]."""
    if pooling == "cls":
        return F.normalize(states[:, 0].float(), dim=-1)
    return F.normalize((states.float() * mask[..., None]).sum(1), dim=-1)


class Model(nn.Module):
    def __init__(self, lexical=True, semantic="pooled", cls_width=128, layers=6, width=384, heads=12, pooling="mean"):
        super().__init__()
        self.pooling = pooling
        embed = {"word": 30522, "position": 512, "token_type": 2}
        parts = {f"{name}_embeddings": nn.Embedding(rows, width) for name, rows in embed.items()}
        self.embeddings = nn.ModuleDict({**parts, "LayerNorm": nn.LayerNorm(width, eps=1e-12)})
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(width, heads, 4 * width) for _ in range(layers))})
        if lexical:
            self.lexical = Lexical(width, embed["word"])
        if semantic != "none":
            self.semantic = Semantic(width, cls_width if semantic == "cls" else 0, pooling)

    @property
    def words(self):
        return self.embeddings["word_embeddings"].weight

    def load_encoder(self, path):
        stored = {name: value.float() for name, value in read_safetensors(path).items() if "pooler" not in name}
        stored.pop("embeddings.position_ids", None)
        missing, unexpected = self.load_state_dict(stored, strict=False)
        wrong = unexpected + [name for name in missing if not name.startswith(("lexical.", "semantic."))]
        if wrong:
            raise SystemExit(f"{path}: not the encoder expected here: {wrong[:3]}")
        self.words.requires_grad_(False)
        return self

    def states(self, ids, mask, types=None):
        e = self.embeddings
        positions = e["position_embeddings"].weight[: ids.shape[1]]
        kind = e["token_type_embeddings"].weight[0] if types is None else e["token_type_embeddings"](types)
        x = e["LayerNorm"](e["word_embeddings"](ids) + positions + kind)
        for layer in self.encoder["layer"]:
            x = layer(x, mask)
        return x

    def forward(self, ids, mask, words=None):
        """Token ids → lexical vectors, semantic vectors and states. A part that the model lacks is None. `words` is the
        vocabulary matrix in the precision of the logits."""
        states = self.states(ids, mask)
        lexical = semantic = None
        if hasattr(self, "lexical"):
            lexical = self.lexical(states[:, 1:], mask[:, 1:], self.words if words is None else words)
        if hasattr(self, "semantic"):
            semantic = self.semantic(states, mask)
        return lexical, semantic, states


def winners(x, dims):
    """Applies stride slicing to lexical vectors: keeps the largest entry of every slice, sets the others to 0. The inner product
    of two results is the gated inner product. Only the winners get gradients."""
    rows = x[:, DROPPED:].unflatten(1, (-1, dims))
    first = torch.zeros_like(rows, dtype=torch.bool).scatter_(1, rows.argmax(1, keepdim=True), True)
    return (rows * first).flatten(1)


def check():
    """Compares the fast head with its definition, forward and backward, in float64."""
    torch.manual_seed(0)
    t, w = torch.randn(3, 5, 8, dtype=torch.double), torch.randn(3, 5, dtype=torch.double)
    words, bias = torch.randn(40, 8, dtype=torch.double), torch.randn(40, dtype=torch.double)
    w[0, 3:] = 0
    inputs = [x.requires_grad_() for x in (t, w, bias)]
    plain = (torch.softmax(F.linear(t, words, bias), -1) * w[..., None]).amax(1).clamp(min=0)
    fast = MaxSoftmax.apply(t, w, words, bias).clamp(min=0)
    up = torch.randn_like(plain)
    gradients = [torch.autograd.grad((y * up).sum(), inputs) for y in (plain, fast)]
    errors = [(a - b).abs().max().item() for a, b in zip(*gradients)] + [(plain - fast).abs().max().item()]
    assert max(errors) < 1e-12, errors
    return max(errors)
