import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import org.semanticweb.elk.loading.Owl2StreamLoader;
import org.semanticweb.elk.owl.parsing.javacc.Owl2FunctionalStyleParserFactory;
import org.semanticweb.elk.reasoner.Reasoner;
import org.semanticweb.elk.reasoner.ReasonerFactory;
import org.semanticweb.elk.reasoner.completeness.Incompleteness;

/**
 * ELK by itself in one warm JVM: the peer of a warm window. For each line on standard input it loads the
 * file with ELK's own parser, computes the class taxonomy, and prints the seconds and the number of nodes.
 */
public final class ElkAlone {
  public static void main(String[] arguments) throws Exception {
    File file = new File(arguments[0]);
    BufferedReader turns = new BufferedReader(new InputStreamReader(System.in));
    while (turns.readLine() != null) {
      long start = System.nanoTime();
      Owl2StreamLoader.Factory loader =
          new Owl2StreamLoader.Factory(new Owl2FunctionalStyleParserFactory(), file);
      Reasoner reasoner = new ReasonerFactory().createReasoner(loader);
      int nodes = Incompleteness.getValue(reasoner.getTaxonomyQuietly()).getNodes().size();
      reasoner.shutdown();
      System.out.println((System.nanoTime() - start) / 1e9 + " " + nodes);
      System.out.flush();
    }
  }
}
