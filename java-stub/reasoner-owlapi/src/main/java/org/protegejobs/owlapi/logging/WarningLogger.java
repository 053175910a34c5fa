package org.protegejobs.owlapi.logging;

import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** A logger of the levels warning and error. */
final class WarningLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  WarningLogger(String name) {
    this.name = name;
  }

  @Override
  public boolean isTraceEnabled() {
    return false;
  }

  @Override
  public boolean isDebugEnabled() {
    return false;
  }

  @Override
  public boolean isInfoEnabled() {
    return false;
  }

  @Override
  public boolean isWarnEnabled() {
    return true;
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level, Marker marker, String pattern, Object[] arguments, Throwable failure) {
    String message = MessageFormatter.basicArrayFormat(pattern, arguments);
    LogRecords.add(new LogRecords.Entry(level, name, String.valueOf(message), failure));
  }
}
