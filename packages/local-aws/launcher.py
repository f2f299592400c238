"""Starts guarded_moto from this folder, without its being installed."""

from guarded_moto.__main__ import main

main()
