k = 10; arr[0] = 50; who = "you";
auto copy = counter;
printf("%d %d %s %d %d\n", add(4), counter(), hello("a").c_str(), every(), both(add, 4));
std::vector<int> v{3, 1, 2};
std::sort(v.begin(), v.end(), cmp);
for (int x : {3, 1, 2}) smallest.push(x);
std::thread([&] { counter(); }).join();
std::function<int(int)> f = twice;
std::pair<decltype(add), std::string> named(add, "tag");
template <class F> int half(F f, int x) { return f(x) / 2; }
printf("%d %d %d %d %d\n", v[0], smallest.top(), f(1), half(twice, 4), fact(fact, 5));
callback(on_done, &calls);
printf("%d %d %d %d %d\n", calls, mine(), größe(), of_p(), with_p(p));
