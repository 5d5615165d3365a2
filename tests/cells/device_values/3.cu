cc[1]
