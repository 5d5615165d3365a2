std::vector<P> v{{3}, {1}, {2}};
std::vector<P> sorted() { auto w = v; std::sort(w.begin(), w.end()); return w; }
int where() { std::vector<P> w = v; return std::find(w.begin(), w.end(), P{1}) - w.begin(); }
int calls_f() { return f(); }
int launches() { kd<<<1, 1>>>(o); cudaDeviceSynchronize(); return *o; }
std::function<int(int)> h1 = lam, h2 = Fun{}, h3 = plain;
std::unique_ptr<Shape> s1(new Sq);
Shape *s2 = new Sq;
int areas() { return s1->area() * 10 + s2->area(); }
V vv;
int gets() { V w; V *p = &vv; return w.get() * 10 + p->get(); }
int counts() { return C::count; }
auto dl = [] __device__ (int x) { return df(x); };
int lamd() { app<<<1, 1>>>(dl, o); cudaDeviceSynchronize(); return *o; }
int refs() { return ra; }
printf("%d %d %d %d | %d %d %d | %d %d %d %d %d\n", sorted()[0].x, where(), calls_f(), launches(), h1(0), h2(0), h3(0), areas(), gets(), counts(), lamd(), refs());
