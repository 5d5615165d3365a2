#if FOO // still known, and this #if is not the other cell's run again
void only_if() { printf("on\n"); }
#endif
only_if();
Pair p(1.5, 2.5);
std::atomic<int> counter{1 << 30};
own++; größe += N;
std::thread([&] { printf("%d\n", own); }).join();
printf("%d %d %d %s\n", own, größe, shared(2), __func__);
auto uses = [] { static int n = 0; return ++n; };
counter;
std::make_pair(std::string_view("s"), std::ref(counter))
