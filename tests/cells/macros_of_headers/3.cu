int(circle(1.0))
