unnamed.x
