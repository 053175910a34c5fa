package org.protegejobs.worker;

import java.io.IOException;

/**
 * Writes a reasoner's answer, {@code answer.jsonl}, as a stream: one JSON value a line.
 *
 * <p>A section is opened with the number of its nodes and closed by the next one or by {@link
 * #finish}; both hold the caller to that number. Not for several threads.
 */
public final class AnswerWriter implements AutoCloseable {

  /** The artifact's name and media type, by the protocol. */
  public static final String NAME = "answer.jsonl";

  /** Its media type. */
  public static final String MEDIA_TYPE = "application/x-ndjson";

  private final ArtifactWriter out;
  private int nodesDue;
  private long nodesTotal;

  /** Begins the artifact in the working folder of a call. */
  public AnswerWriter(Call call) throws IOException {
    this(new ArtifactWriter(call, NAME, MEDIA_TYPE));
  }

  private AnswerWriter(ArtifactWriter out) {
    this.out = out;
  }

  /** A writer whose answer goes nowhere: for warming up. */
  public static AnswerWriter rehearsing() {
    return new AnswerWriter(new ArtifactWriter());
  }

  /**
   * Opens a section of a hierarchy.
   *
   * @param section {@code classes}, {@code object_properties} or {@code data_properties}
   * @param top the number of the node of owl:Thing or of the top property
   * @param bottom the number of its counterpart; its node is written with no parents
   */
  public void openHierarchy(String section, int nodes, int top, int bottom) throws IOException {
    open(section, nodes);
    ascii(",\"top\":" + top + ",\"bottom\":" + bottom + "}\n");
  }

  /** Opens the section of individuals; node numbers beside them are those of the classes. */
  public void openIndividuals(int nodes) throws IOException {
    open("individuals", nodes);
    ascii("}\n");
  }

  /**
   * Writes the next node of the open section.
   *
   * @param members IRIs, one at least
   * @param above numbers of the direct parents, or of the direct types
   */
  public void node(Iterable<String> members, int[] above) throws IOException {
    if (nodesDue-- <= 0) {
      throw new IllegalStateException("more nodes than were announced");
    }
    ascii("[[");
    boolean isFirst = true;
    for (String member : members) {
      if (!isFirst) {
        out.write(',');
      }
      isFirst = false;
      text(member);
    }
    ascii("],[");
    for (int index = 0; index < above.length; index++) {
      if (index > 0) {
        out.write(',');
      }
      number(above[index]);
    }
    ascii("]]\n");
    nodesTotal++;
  }

  /** How many nodes were written, over all sections. */
  public long nodesTotal() {
    return nodesTotal;
  }

  /** Ends and describes the artifact. */
  public Artifact finish() throws IOException {
    endSection();
    ascii("{\"section\":\"end\"}\n");
    return out.finish();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private void open(String section, int nodes) throws IOException {
    endSection();
    nodesDue = nodes;
    ascii("{\"section\":");
    text(section);
    ascii(",\"nodes\":" + nodes);
  }

  private void endSection() {
    if (nodesDue != 0) {
      throw new IllegalStateException(nodesDue + " announced nodes are missing");
    }
  }

  private void ascii(String text) throws IOException {
    for (int index = 0; index < text.length(); index++) {
      out.write(text.charAt(index));
    }
  }

  private void number(int value) throws IOException {
    if (value >= 10) {
      number(value / 10);
    }
    out.write('0' + value % 10);
  }

  /** A JSON string; by hand, since there are a hundred thousand of them. */
  private void text(String text) throws IOException {
    out.write('"');
    for (int index = 0; index < text.length(); index++) {
      char each = text.charAt(index);
      if (each == '"' || each == '\\') {
        out.write('\\');
        out.write(each);
      } else if (each >= ' ' && each < 0x7f) {
        out.write(each);
      } else {
        ascii("\\u" + Frames.hexadecimal(each)); // a lone surrogate would be no UTF-8
      }
    }
    out.write('"');
  }
}
