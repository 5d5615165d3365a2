from pathlib import Path

from setuptools import setup

setup(version=(Path(__file__).resolve().parents[2] / "VERSION").read_text().strip())
