"""For tests/draw.py, which the tests of all folders import: pytest puts a conftest's folder on the path."""
