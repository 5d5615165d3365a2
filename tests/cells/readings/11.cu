printf("%s %zu %zu %d\n", word.c_str(), count, list.size(), list[0]);
