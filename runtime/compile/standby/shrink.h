/* shrink.h: a waiting program's memory made smaller, in a way that it can't see. For the library
 * that is loaded into nvcc's programs: needs libc alone. */
#ifndef WARPBOOK_COMPILE_STANDBY_SHRINK_H
#define WARPBOOK_COMPILE_STANDBY_SHRINK_H

#include <stdbool.h>

/* Large parts of it that hold one word over and over (cudafe++ fills a table of 128 MB so, and uses
 * little of it) become copies, made when they are written to, of one such part. False: memory was
 * lost over it, and the program must not go on. */
bool shrink_memory(void);

#endif
