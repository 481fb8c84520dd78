// Words of many languages → what Lucene's analyzers make of them, as JSON. See lucene-languages.json for the command.

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

public class LuceneLanguages {
  /** A line of the input is a language, the class of its analyzer and words, between tabs. */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    out.println("{");
    out.println(" \"about\": \"" + args[1].replace("\"", "\\\"") + "\",");
    out.println(" \"languages\": {");
    List<String> lines = Files.readAllLines(Path.of(args[0]));
    for (int i = 0; i < lines.size(); i++) {
      String[] cells = lines.get(i).split("\t");
      String name = "org.apache.lucene.analysis." + cells[1];
      Analyzer analyzer = (Analyzer) Class.forName(name).getDeclaredConstructor().newInstance();
      List<String> pairs = new ArrayList<>();
      for (String word : cells[2].split(" ")) pairs.add(quoted(word) + ": " + quoted(tokens(analyzer, word)));
      out.println("  \"" + cells[0] + "\": {" + String.join(", ", pairs) + "}" + (i + 1 < lines.size() ? "," : ""));
    }
    out.println(" }");
    out.println("}");
    out.flush();
  }

  private static String tokens(Analyzer analyzer, String word) throws Exception {
    List<String> tokens = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream("", word)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) tokens.add(term.toString());
      stream.end();
    }
    return String.join(" ", tokens);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
