auto twice = [=] __device__(int i) { return 2 * i; };
