"""What stands behind a window: a document on disk, or a live editor over a gateway."""
