package org.protegejobs.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventQueueTest {
  private final EventQueue queue = new EventQueue();

  private static List<Long> sequences(JsonObject answer) {
    List<Long> found = new ArrayList<>();
    for (JsonElement each : answer.getAsJsonArray("events")) {
      found.add(each.getAsJsonObject().get("sequence").getAsLong());
    }
    return found;
  }

  private void post(int count) {
    for (int number = 0; number < count; number++) {
      queue.post("capture", new JsonObject());
    }
  }

  @Test
  void eventsFollowTheCursorInOrder() throws Exception {
    post(3);
    assertEquals(List.of(1L, 2L, 3L), sequences(queue.await(0, 0)));
    JsonObject answer = queue.await(2, 0);
    assertEquals(List.of(3L), sequences(answer));
    assertEquals(3, answer.get("cursor").getAsLong());
    assertEquals(List.of(), sequences(queue.await(3, 0)));
  }

  @Test
  void onlyTheNewestRevisionIsKeptAndNoneIsLost() throws Exception {
    queue.postRevision(1);
    queue.post("reasoner", new JsonObject());
    queue.postRevision(2);
    queue.postRevision(3);
    JsonObject answer = queue.await(0, 0);
    assertEquals(List.of(2L, 4L), sequences(answer));
    JsonArray events = answer.getAsJsonArray("events");
    assertEquals(3, events.get(1).getAsJsonObject().get("revision").getAsLong());
    assertFalse(answer.get("lost").getAsBoolean());
  }

  @Test
  void whoFellBehindIsTold() throws Exception {
    post(EventQueue.CAPACITY + 5);
    JsonObject late = queue.await(4, 0);
    assertTrue(late.get("lost").getAsBoolean());
    assertEquals(EventQueue.CAPACITY, late.getAsJsonArray("events").size());
    assertFalse(queue.await(5, 0).get("lost").getAsBoolean());
  }

  @Test
  void aWaiterWakesForAnEventAndForTheClose() throws Exception {
    CompletableFuture<JsonObject> first = waiting(0);
    post(1);
    assertEquals(List.of(1L), sequences(first.get(10, TimeUnit.SECONDS)));
    CompletableFuture<JsonObject> second = waiting(1);
    queue.close();
    assertTrue(second.get(10, TimeUnit.SECONDS).get("closed").getAsBoolean());
    post(1);
    assertEquals(List.of(1L), sequences(queue.await(0, 0)), "nothing comes after the close");
  }

  private CompletableFuture<JsonObject> waiting(long cursor) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return queue.await(cursor, Integer.MAX_VALUE);
          } catch (InterruptedException error) {
            throw new IllegalStateException(error);
          }
        });
  }
}
