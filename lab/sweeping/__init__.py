"""Sweeps: measurements over a grid of networks and settings on labs, which can be stopped anywhere and go on later."""
