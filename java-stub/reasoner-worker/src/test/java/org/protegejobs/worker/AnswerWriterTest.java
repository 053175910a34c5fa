package org.protegejobs.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnswerWriterTest {

  @TempDir Path workDir;
  private Call call;

  @BeforeEach
  void order() {
    call = new Call("reason", 1, new JsonObject(), workDir);
  }

  @Test
  void linesAreThoseOfTheProtocol() throws IOException {
    try (AnswerWriter answer = new AnswerWriter(call)) {
      answer.openHierarchy("classes", 2, 0, 1);
      answer.node(List.of("urn:top", "urn:\"\u00e9\uD800\n"), new int[0]);
      answer.node(List.of("urn:bottom"), new int[] {0, 120, 7});
      answer.openIndividuals(1);
      answer.node(List.of("urn:i"), new int[] {0});
      answer.finish();
    }
    assertEquals(
        "{\"section\":\"classes\",\"nodes\":2,\"top\":0,\"bottom\":1}\n"
            + "[[\"urn:top\",\"urn:\\\"\\u00e9\\ud800\\u000a\"],[]]\n"
            + "[[\"urn:bottom\"],[0,120,7]]\n"
            + "{\"section\":\"individuals\",\"nodes\":1}\n"
            + "[[\"urn:i\"],[0]]\n"
            + "{\"section\":\"end\"}\n",
        Files.readString(workDir.resolve("answer.jsonl")));
  }

  @Test
  void callerIsHeldToTheAnnouncedNumber() throws IOException {
    try (AnswerWriter answer = new AnswerWriter(call)) {
      answer.openHierarchy("classes", 1, 0, 0);
      assertThrows(IllegalStateException.class, answer::finish);
      answer.node(List.of("urn:a"), new int[0]);
      assertThrows(IllegalStateException.class, () -> answer.node(List.of("urn:b"), new int[0]));
    }
  }
}
