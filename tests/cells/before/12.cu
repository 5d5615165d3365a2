twice(1) + quad(1)
