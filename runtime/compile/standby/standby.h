/* standby.h: what a waiting compiler and who asks it say to each other, over a socket that keeps
 * messages apart (SOCK_SEQPACKET). A standby is one of nvcc's programs that has read what every
 * cell begins with, its headers, and waits for the rest; for a cell it makes a copy of itself
 * (fork), which reads that cell's rest and ends as the program always does.
 *
 * The sockets lie in a folder of the user's own, each named by its key: a sum of the program, its
 * arguments, its environment and all it has read (key.h). */
#ifndef WARPBOOK_COMPILE_STANDBY_H
#define WARPBOOK_COMPILE_STANDBY_H

#include <limits.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Raised when a message or what a copy does changes: another key, hence. */
#define STANDBY_VERSION "warpbook standby 2"

/* The environment of a program that is to wait. */
#define STANDBY_INPUT "WARPBOOK_STANDBY_INPUT" /* the file of which it is given the beginning */
#define STANDBY_KEY "WARPBOOK_STANDBY_KEY"     /* its socket's name, in the folder above its own */

/* For tests: seconds after which an unused one goes; MB that all may have. */
#define STANDBY_IDLE "WARPBOOK_STANDBY_IDLE"
#define STANDBY_MB "WARPBOOK_STANDBY_MB"

enum { STANDBY_KEY_TEXT = 65 }; /* hexadecimal digits and a NUL */

/* What is asked, with these descriptors. */
typedef enum standby_kind {
    STANDBY_COMPILE, /* the program's end for a cell: STANDBY_FDS; the copy's pid_t comes back when
                        it has begun, and a standby_reply when it has ended */
    STANDBY_GROW     /* a copy that reads on and waits under a key of its own: one descriptor, of
                        the longer beginning; nothing comes back */
} standby_kind;

enum { STANDBY_STDIN, STANDBY_WORDS, STANDBY_FOLDER, STANDBY_TEXT, STANDBY_FDS };

typedef struct standby_request {
    standby_kind kind;
    off_t from;                         /* compile: where in the file the rest begins */
    mode_t umask;                       /* compile */
    struct rlimit limits[RLIM_NLIMITS]; /* compile; the stack's is part of the key */
    char key[STANDBY_KEY_TEXT];         /* grow */
} standby_request;

typedef struct standby_reply {
    int status;            /* as wait() has it */
    char folder[PATH_MAX]; /* what the program took for its working directory when it began */
} standby_reply;

#endif
