"""The difference of two documents, axiom by axiom, in their own words."""
