# Filled in with the package: see docs/installing.md.
