package org.protegejobs.elk;

/** Which part of the whole job a step is, roughly: measured on ontologies of the OBO library. */
enum Share {
  LOADING(0, 0.2),
  CONSISTENCY(0.2, 0.3),
  CLASSES(0.3, 0.85),
  OBJECT_PROPERTIES(0.85, 0.87),
  INDIVIDUALS(0.87, 0.9),
  WRITING(0.9, 1);

  private final double from;
  private final double to;

  Share(double from, double to) {
    this.from = from;
    this.to = to;
  }

  /** How much of the whole is done when so much of this step is. */
  double at(long done, long total) {
    double part = total <= 0 ? 0 : Math.min(1, (double) done / total);
    return from + (to - from) * part;
  }
}
