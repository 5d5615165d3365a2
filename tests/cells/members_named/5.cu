struct c { int v[2]; };
typedef struct c c_also;
int size() { return sizeof(c_also) / 4; }
