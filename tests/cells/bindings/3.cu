auto [q, z] = std::make_pair(1.5, 'c');
q
