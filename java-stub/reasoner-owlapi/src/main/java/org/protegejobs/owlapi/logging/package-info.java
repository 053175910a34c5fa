/**
 * The logging of the libraries: warnings and errors go to standard error, bounded, and to whoever
 * listens; nothing below a warning is ever rendered.
 *
 * <p>It is our own because a reader has to hear what a parser merely logs: some of them log that
 * they leave something out and go on.
 */
package org.protegejobs.owlapi.logging;
