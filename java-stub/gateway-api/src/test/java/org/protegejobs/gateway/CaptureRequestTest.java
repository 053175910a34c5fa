package org.protegejobs.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureRequestTest {
  @Test
  void aRequestHasItsTwoMembers() throws Exception {
    CaptureRequest request =
        CaptureRequest.parse("{\"folder\": \"capture-0a\", \"max_axioms\": 2000000}");
    assertEquals("capture-0a", request.folder());
    assertEquals(2_000_000, request.maxAxioms());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{}",
        "{\"folder\": \"capture-a\"}",
        "{\"folder\": \"capture-a\", \"max_axioms\": 1, \"more\": 1}",
        "{\"folder\": \"a\", \"max_axioms\": 1}",
        "{\"folder\": \"capture-..\", \"max_axioms\": 1}",
        "{\"folder\": \"capture-a/b\", \"max_axioms\": 1}",
        "{\"folder\": \"capture-A\", \"max_axioms\": 1}",
        "{\"folder\": null, \"max_axioms\": 1}",
        "{\"folder\": [\"capture-a\"], \"max_axioms\": 1}",
        "{\"folder\": \"capture-a\", \"max_axioms\": -1}",
        "{\"folder\": \"capture-a\", \"max_axioms\": 1.5}",
        "{\"folder\": \"capture-a\", \"max_axioms\": 9999999999999}",
      })
  void anotherShapeIsRefused(String text) {
    GatewayError error = assertThrows(GatewayError.class, () -> CaptureRequest.parse(text));
    assertEquals(GatewayError.INVALID_REQUEST, error.code());
  }
}
