/* room.h: the folder of the sockets: names, memory, messages. For both sides; needs libc alone. */
#ifndef WARPBOOK_COMPILE_STANDBY_ROOM_H
#define WARPBOOK_COMPILE_STANDBY_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A socket `name` in the folder `root`, listening, or connected to it; -1. */
int room_listen(int root, const char *name);
int room_connect(int root, const char *name);

/* The process that answers at `name`; -1: nobody. */
pid_t room_answerer(int root, const char *name);
/* Whether the process at the other end is of our user. */
bool room_same_user(int fd);

/* A message of just `size` bytes, with descriptors: those that came, at most `max`, are *n, and the
 * caller's, also where it is false. */
bool room_send(int fd, const void *message, size_t size, const int *fds, int n);
bool room_receive(int fd, void *message, size_t size, int *fds, int max, int *n);

/* While all standbys have more memory than they may, tells that to go which was used least lately;
 * never `own`. */
void room_make(int root, const char *own);
/* How many standbys there are, and what they hold, KB. */
int room_count(int root, long *kb);
/* Removes the folder `name` of `root` and the files in it. */
void room_remove(int root, const char *name);

#endif
