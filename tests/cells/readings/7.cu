unsigned(-1.5 * -2) + 1u
