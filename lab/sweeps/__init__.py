"""One file a sweep."""
