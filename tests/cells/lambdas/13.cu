sum(keeps)
