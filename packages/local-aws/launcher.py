"""Starts guarded_moto from this folder, without installing it."""

from guarded_moto.__main__ import main

main()
