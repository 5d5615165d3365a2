std::pair<int, int> pr{1, 2};
std::map<int, int> m;
