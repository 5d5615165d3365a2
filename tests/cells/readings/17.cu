fflush(stdout);
std::vector<int> big(T::s), more(n::v * a);
big.size() + more.size()
