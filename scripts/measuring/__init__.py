"""What scripts/measure is made of: the machine, the rounds of speed, and the checks of promises."""
