third.b.a->b.n
