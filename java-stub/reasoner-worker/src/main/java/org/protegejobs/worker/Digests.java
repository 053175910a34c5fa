package org.protegejobs.worker;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 as every Java runtime has it. */
final class Digests {

  private Digests() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible); // the platform specification demands it
    }
  }

  static String hex(byte[] digest) {
    StringBuilder text = new StringBuilder(2 * digest.length);
    for (byte each : digest) {
      text.append(Character.forDigit((each >> 4) & 15, 16))
          .append(Character.forDigit(each & 15, 16));
    }
    return text.toString();
  }
}
