sized(3)
