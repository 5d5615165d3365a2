zero
