s.a += 5; u.c[0]++;
printf("%d %d %d %c %d %d %d %d %d %d %d\n", s.a, u.i, colour, state, tab[2].v, p->v, k.w, n::deep.z, cq.q, named.in.y, RED);
decltype(s) other = {7, 8};
n::b * n::c::d;
glue * n::b;
n::t * q = new n::t;
A::node *made = A::head = new A::node{5};
int run_one(int x) { return x + 100; }
printf("%d %d %d %d\n", CAT(gl, ue), CALL(one), call(), q->v);
A::b * A::head->v
