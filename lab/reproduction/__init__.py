"""The papers' experiments again, on the lab: what is run, how it is kept, how it is shown."""
