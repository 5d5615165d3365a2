std::unordered_set<Key> set{{1}, {2}, {1}};
alias = 9;
Complex d = c;
printf("%zu %d ", set.size(), (Key{2} + Key{3}).twice());
printf("%d %d\n", Key::made, made->id());
printf("%.0f %d %d %d %s %s %d\n", d.im, (int)Mode::fast, add3(1), base, greeting, title.c_str(), pointer == nullptr);
counter() == 2 && dynamic_cast<Derived *>(made) != nullptr
