printf("%g %c %d\n", q, z, r);
std::map<std::string, int> m{{"a", 1}};
for (auto &[k, v] : m) v++;
auto [it, fresh] = m.insert({"b", 2});
fresh
