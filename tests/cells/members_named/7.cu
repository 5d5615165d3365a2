typedef char A;
#define M A
struct P { int x; };
struct Q : public P { mutable A first; };
std::function<int()> by_macro = [] { return (int)sizeof(M); };
std::function<int()> by_member = [] { return (int)sizeof(Q); };
