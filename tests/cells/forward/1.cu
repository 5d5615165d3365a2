struct A;
struct B { A *a; int n; };
struct A { B b; };
class Edge;
class Node { Edge *e = nullptr; public: int id = 1; int use(); };
class Edge { Node *from; public: Edge(Node *f) : from(f) {} int get(); };
int Node::use() { return 5; }
int Edge::get() { return from->use(); }
__device__ bool odd(int n);
__device__ bool even(int n) { return n == 0 ? true : odd(n - 1); }
__device__ bool odd(int n) { return n == 0 ? false : even(n - 1); }
template <class T> T tb(T);
template <class T> T ta(T n) { return n == 0 ? 1 : tb(n - 1); }
template <class T> T tb(T n) { return n == 0 ? 2 : ta(n - 1); }
A node{{nullptr, 3}};
node.b.n
