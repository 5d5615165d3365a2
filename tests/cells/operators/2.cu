std::vector<int> list{1, 2};
std::cout << list << std::endl;
