struct c { int v[3]; };
size()
