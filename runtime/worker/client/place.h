/* place.h: the folder and the environment that a notebook has asked for since it began (session.h,
 * wb_session_enter): processes that are started have them; a worker that runs is told with its next
 * job. */
#ifndef WARPBOOK_PLACE_H
#define WARPBOOK_PLACE_H

#include <jansson.h>

/* Adds "folder" and "environment", {NAME: VALUE}, to a job's request, where there are any. */
void wb_place_add(json_t *request);

#endif
