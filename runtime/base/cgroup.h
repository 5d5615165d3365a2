/* cgroup.h: a bound on the memory that processes have together, where the system lets us set one: a
 * control group of cgroups v2, or of v1's memory controller, below our own or beside it. */
#ifndef WARPBOOK_BASE_CGROUP_H
#define WARPBOOK_BASE_CGROUP_H

#include "runtime/base/base.h"

/* The folder of a new group, for wb_proc_spec; malloc'd. NULL where none can be made: without the
 * rights for it, or in a container that shows no groups to write to. Groups that a killed process
 * of ours has left are taken away. Thread-safe. */
char *wb_cgroup_new(void);
/* What its processes may have together from now on, page cache aside, in bytes; nothing of it is
 * swapped out. What is over is ended by the system. */
bool wb_cgroup_limit(const char *group, size_t bytes);
/* Whether that has happened. */
bool wb_cgroup_killed(const char *group);
/* Ends what is still in it, takes it away and frees the name; NULL is fine. */
void wb_cgroup_free(char *group);

#endif
