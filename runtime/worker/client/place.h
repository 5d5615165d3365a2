/* place.h: the folder and the environment that a notebook has set (session.h, wb_session_enter).
 * New processes inherit them. A running worker gets them with its next job. */
#pragma once

#include <jansson.h>

/* Adds "folder" and "environment", {NAME: VALUE}, to a job's request, if any were set. */
void wb_place_add(json_t *request);
