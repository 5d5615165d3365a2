before + 1
