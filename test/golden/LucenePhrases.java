// Documents and phrases → the documents that Lucene's PhraseQuery finds. lucene-phrases.json has the command.

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.QueryBuilder;

public class LucenePhrases {
  /** A line of the first file is an id and a text, of the second a slop and a phrase. Prints slop, phrase and ids. Tabs divide. */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    EnglishAnalyzer analyzer = new EnglishAnalyzer();
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
      for (String line : Files.readAllLines(Path.of(args[0]))) {
        String[] cells = line.split("\t", 2);
        Document document = new Document();
        document.add(new StringField("id", cells[0], Field.Store.YES));
        document.add(new TextField("text", cells[1], Field.Store.NO));
        writer.addDocument(document);
      }
    }
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
    QueryBuilder builder = new QueryBuilder(analyzer);
    for (String line : Files.readAllLines(Path.of(args[1]))) {
      String[] cells = line.split("\t", 2);
      Query query = builder.createPhraseQuery("text", cells[1], Integer.parseInt(cells[0]));
      List<String> ids = new ArrayList<>();
      if (query != null)
        for (ScoreDoc hit : searcher.search(query, 1_000_000).scoreDocs) ids.add(searcher.storedFields().document(hit.doc).get("id"));
      Collections.sort(ids);
      out.println(line + "\t" + String.join(" ", ids));
    }
    out.flush();
  }
}
