take(T{1, 2, 3})
