std::string(word) = "one";
std::vector<int>(list);
size_t(count) = 3;
list.push_back(4);
