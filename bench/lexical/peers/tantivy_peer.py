"""Tantivy: block-max WAND over terms with frequencies, without positions. Its BM25 has k1 1.2 and b 0.75."""

import harness
import tantivy
from tantivy import Occur, Query


def build(data, index):
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    # With one segment, document numbers are in the order of writing. One thread and enough memory give one segment.
    writer = tantivy.Index(schema.build(), path=index).writer(heap_size=2_000_000_000, num_threads=1)
    for bag in harness.docs(data):
        writer.add_document(tantivy.Document(text=harness.text(bag)))
    writer.commit()
    writer.wait_merging_threads()


def ways(data, index):
    opened = tantivy.Index.open(index)
    searcher = opened.searcher()
    if searcher.num_segments != 1:
        raise ValueError(f"{searcher.num_segments} segments, expected 1")

    def prepare(query, k):
        parts = [
            (Occur.Should, Query.term_query(opened.schema, "text", term, "freq"))
            for term, count in query
            for _ in range(count)
        ]
        question = Query.boolean_query(parts)
        return lambda: searcher.search(question, k, count=False).hits, lambda hits: [at.doc for _, at in hits]

    return [("", True, prepare)]


harness.main(build, ways)
