/* answer.h: what a student enters behind %predict NAME =, and what is to be said to it. */
#ifndef WARPBOOK_KERNEL_ANSWER_H
#define WARPBOOK_KERNEL_ANSWER_H

#include <jansson.h>

#include "runtime/base/base.h"

typedef enum answer_kind {
    ANSWER_EMPTY,      /* nothing, or ? */
    ANSWER_UNREADABLE, /* no number, or none of the choices */
    ANSWER_WRONG,
    ANSWER_RIGHT
} answer_kind;

/* "4", "32,768", "2^18", "12.5 %", "1/8", "32 * 4", with or without the unit behind it. A percent
 * sign is told, and does not divide. */
bool answer_number(const char *text, const char *unit, double *value, bool *percent);

/* Judges the text by the step, whose kind is "predict". *say: the reason, malloc'd; *value: the
 * answer as it was understood, malloc'd, so that the same answer in other words is the same. */
answer_kind answer_judge(const json_t *step, const char *text, char **say, char **value);

#endif
