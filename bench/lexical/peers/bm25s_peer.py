"""BM25S with its Numba backend. It computes the scores of all postings when it builds the index; a query adds whole columns."""

import os

import bm25s
import harness
from bm25s.tokenization import Tokenized


def build(data, index):
    ids = {term: number for number, term in enumerate(harness.terms(data))}
    documents = [[ids[term] for term, count in bag for _ in range(count)] for bag in harness.docs(data)]
    retriever = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numba")
    retriever.index(Tokenized(ids=documents, vocab=ids), show_progress=False)
    retriever.save(os.path.join(index, "bm25s"))


def ways(data, index):
    retriever = bm25s.BM25.load(os.path.join(index, "bm25s"))
    retriever.backend = "numba"
    known = retriever.vocab_dict

    def prepare(query, k):
        tokens = [[known[term] for term, count in query for _ in range(count) if term in known]]

        def ask():
            return retriever.retrieve(tokens, k=k, show_progress=False, n_threads=1, return_as="documents")

        return ask, lambda found: found[0]

    return [("Numba", True, prepare)]


harness.main(build, ways)
