std::cin >> a >> b; a * 100 + b
