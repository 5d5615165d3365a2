n::deep::b += "teen"; n::deep::a++;
printf("%d %s\n", n::deep::a, n::deep::b.c_str());
