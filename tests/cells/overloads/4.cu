over(1.0)
