"""moto with repairs, and with permissions enforced as IAM does. `python -m guarded_moto` starts it."""
