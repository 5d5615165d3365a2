/* cgroup.h: limits the memory of several processes together with a control group (cgroups v2, or
 * v1's memory controller), where the system allows it. The group is below our own or beside it. */
#pragma once

#include "runtime/base/base.h"

/* Makes a control group and returns its folder for wb_proc_spec, malloc'd. Returns NULL if it
 * can't: without the rights, or in a container that shows no writable groups. Removes groups that
 * killed processes of ours left. Thread-safe. */
char *wb_cgroup_new(void);
/* Limits the memory of the group's processes together, in bytes, without the page cache. Nothing of
 * it is swapped. The system kills a process if they exceed it. */
bool wb_cgroup_limit(const char *group, size_t bytes);
/* Returns true if the system has killed a process of the group for that. */
bool wb_cgroup_killed(const char *group);
/* Kills the group's processes, removes the group and frees the name. NULL is fine. */
void wb_cgroup_free(char *group);
