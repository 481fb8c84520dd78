// Lucene: terms with frequencies, no positions, one segment. It uses its own top-k with block maxima and does not count hits.
// Weights are stored as frequencies and scored unchanged; BM25 uses norms. protocol.ts describes the arguments and the answer.

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.TermFrequencyAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FieldInvertState;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Version;

public class Lucene {
  static final String FIELD = "text";
  static final int[] CUTS = {10, 1000};
  static final int PASSES = 3;
  static final double PASS_MS = 10_000;
  // More than the 10 passes of the other engines: the JVM's compiler needs longer.
  static final int WARM_UP_PASSES = 25;
  static final int FEWEST_WARM_UP_PASSES = 8;
  static final double STEADY = 1.05;

  public static void main(String[] args) throws Exception {
    Path data = Path.of(args[1]);
    Path index = Path.of(args[2]);
    boolean isText = Files.readString(data.resolve("about.json")).contains("\"bm25\"");
    Similarity similarity = isText ? new BM25Similarity(0.9f, 0.4f) : new Frequencies();
    String found = args[0].equals("build") ? build(data, index, similarity, isText) : ask(data, index, similarity);
    Files.writeString(Path.of(args[3]), found);
  }

  static String build(Path data, Path index, Similarity similarity, boolean withNorms) throws IOException {
    long started = System.nanoTime();
    // Merge in the order of segments, so that document numbers are in the order of writing.
    IndexWriterConfig config = new IndexWriterConfig(null)
        .setSimilarity(similarity)
        .setMergePolicy(new LogDocMergePolicy())
        .setMergeScheduler(new SerialMergeScheduler())
        .setUseCompoundFile(false)
        .setRAMBufferSizeMB(1024);
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.setOmitNorms(!withNorms);
    type.freeze();
    Bag bag = new Bag();
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(index), config);
        BufferedReader lines = Files.newBufferedReader(data.resolve("docs.txt"))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        bag.hold(line);
        Document document = new Document();
        document.add(new Field(FIELD, bag, type));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
    return "{\"buildMs\":" + milliseconds(started) + ",\"peakBytes\":" + status("VmHWM") + "}";
  }

  static String ask(Path data, Path index, Similarity similarity) throws IOException {
    long started = System.nanoTime();
    DirectoryReader reader = DirectoryReader.open(FSDirectory.open(index));
    IndexSearcher searcher = new IndexSearcher(reader);
    searcher.setSimilarity(similarity);
    searcher.setQueryCache(null);
    double openMs = milliseconds(started);
    List<Query> queries = new ArrayList<>();
    for (String line : Files.readAllLines(data.resolve("queries.txt"))) queries.add(query(line));
    StringBuilder at = new StringBuilder();
    for (int k : CUTS) {
      if (at.length() > 0) at.append(',');
      at.append('"').append(k).append("\":").append(measure(searcher, queries, k));
    }
    System.gc();
    return "{\"openMs\":" + openMs + ",\"note\":\"Lucene " + Version.LATEST + ", Java " + Runtime.version().feature()
        + "\",\"ways\":[{\"name\":\"\",\"exact\":true,\"at\":{" + at + "}}],\"rssBytes\":" + status("VmRSS")
        + ",\"peakBytes\":" + status("VmHWM") + "}";
  }

  static Query query(String line) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    String[] fields = line.split(" ");
    for (int i = 0; i + 1 < fields.length; i += 2) {
      Query term = new TermQuery(new Term(FIELD, fields[i]));
      float weight = Float.parseFloat(fields[i + 1]);
      builder.add(weight == 1 ? term : new BoostQuery(term, weight), BooleanClause.Occur.SHOULD);
    }
    return builder.build();
  }

  static String measure(IndexSearcher searcher, List<Query> queries, int k) throws IOException {
    ScoreDoc[][] found = new ScoreDoc[queries.size()][];
    int[] asked = {queries.size()};
    double before = Double.POSITIVE_INFINITY;
    for (int pass = 0; pass < WARM_UP_PASSES; pass++) {
      double mean = Arrays.stream(pass(searcher, queries, k, found, asked)).average().orElse(0);
      if (pass >= FEWEST_WARM_UP_PASSES && mean * STEADY > before) break;
      before = mean;
    }
    double[][] times = new double[PASSES][];
    for (int pass = 0; pass < PASSES; pass++) times[pass] = pass(searcher, queries, k, found, asked);
    StringBuilder answer = new StringBuilder("{\"times\":[");
    for (int pass = 0; pass < PASSES; pass++) {
      answer.append(pass == 0 ? "" : ",").append(Arrays.toString(Arrays.copyOf(times[pass], asked[0])));
    }
    answer.append("],\"found\":[");
    for (int i = 0; i < asked[0]; i++) {
      int[] docs = Arrays.stream(found[i]).mapToInt(hit -> hit.doc).toArray();
      answer.append(i == 0 ? "" : ",").append(Arrays.toString(docs));
    }
    return answer.append("]}").toString();
  }

  static double[] pass(IndexSearcher searcher, List<Query> queries, int k, ScoreDoc[][] found, int[] asked)
      throws IOException {
    double[] times = new double[asked[0]];
    double sum = 0;
    int i = 0;
    for (; i < asked[0] && sum <= PASS_MS; i++) {
      long started = System.nanoTime();
      // 1: stop counting hits once there are k of them.
      found[i] = searcher.search(queries.get(i), new TopScoreDocCollectorManager(k, null, 1)).scoreDocs;
      times[i] = milliseconds(started);
      sum += times[i];
    }
    asked[0] = i;
    return Arrays.copyOf(times, i);
  }

  static double milliseconds(long started) {
    return (System.nanoTime() - started) / 1e6;
  }

  /** Reads a value of /proc/self/status, in bytes. */
  static long status(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(name)) return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    }
    return 0;
  }

  /** Turns a line of terms and weights into tokens with frequencies. */
  static final class Bag extends TokenStream {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final TermFrequencyAttribute frequency = addAttribute(TermFrequencyAttribute.class);
    private String[] fields = {};
    private int at;

    void hold(String line) {
      fields = line.split(" ");
      at = 0;
    }

    @Override
    public boolean incrementToken() {
      if (at + 1 >= fields.length) return false;
      clearAttributes();
      term.append(fields[at]);
      frequency.setTermFrequency(Integer.parseInt(fields[at + 1]));
      at += 2;
      return true;
    }
  }

  /** Scores by the inner product: the query's weight times the document's. */
  static final class Frequencies extends Similarity {
    @Override
    public long computeNorm(FieldInvertState state) {
      return 1;
    }

    @Override
    public SimScorer scorer(float boost, CollectionStatistics collection, TermStatistics... terms) {
      return new SimScorer() {
        @Override
        public float score(float frequency, long norm) {
          return boost * frequency;
        }
      };
    }
  }
}
