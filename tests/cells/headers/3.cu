std::cout << word << both.second << std::endl;
s
