printf("%d %d %zu %s %g %d %s\n", level, *pl, table.size(), name.c_str(), nested, add(2), where());
level = 9;
