"""The hierarchy of named classes, and how far it may be trusted."""
