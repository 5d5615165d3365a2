std::cin >> a;
std::cin.eof()
