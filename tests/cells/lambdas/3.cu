auto by_reference = [&factor] __device__(int i) { return i * factor; };
