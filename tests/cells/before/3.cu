S t{n};
int before = n + t.n, c2 = c, q = sq(3);
std::string u = s;
const int *pa = arr;
R *keep = &r1;
auto w = v;
for (int i = 0; i < n; i++) before += 100;
int user() { return n; }
double n = 2.5;
std::string s = "new";
const int c = 30, arr[2] = {7, 8};
auto sq = [](int x) { return x * 1000; };
R r1("two");
std::vector<int> v{4};
printf("%g %d %d %s %s %d %d %d\n", before + n, c2 + c, q + sq(2), u.c_str(), s.c_str(), pa[0], arr[0], user());
