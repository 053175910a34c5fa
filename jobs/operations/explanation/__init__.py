"""Why something follows: the smallest sets of axioms that it follows from, told to people."""
