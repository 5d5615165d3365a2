#if 0
int level = 1;
#endif
#ifdef NOPE
int zero = 1;
#endif
namespace q {
#if 1
int in_space = 4;
enum { here = 5 };
#endif
}
