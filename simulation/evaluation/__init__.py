"""The evaluation on simulated networks: what is simulated, and how it is shown."""
