"""What stands behind a window: today a document on disk, later a live editor over a gateway."""
