"""Emulates a cluster of machines behind Ethernet switches with network namespaces, bridges and token buckets."""
