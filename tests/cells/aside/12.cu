NAMED(max);
