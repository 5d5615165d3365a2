level
