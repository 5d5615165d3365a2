/* answer.h: judges what a student enters after %predict NAME =. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

typedef enum answer_kind {
    ANSWER_EMPTY,      /* nothing, or ? */
    ANSWER_UNREADABLE, /* no number, or not one of the choices */
    ANSWER_WRONG,
    ANSWER_RIGHT
} answer_kind;

/* Reads "4", "32,768", "2^18", "12.5 %", "12,5", "1/8", "32 * 4", with or without the unit in
 * either language behind it, also in full-width characters. *percent: it had a percent sign, which
 * does not divide. */
bool answer_number(const char *text, const char *unit, const char *unit_too, double *value,
                   bool *percent);

/* The choices in the student's order, each between `quote`, for Chinese readers with its Chinese
 * word. malloc'd. */
char *answer_choices(const json_t *step, const char *quote);

/* Judges the text of a step of the kind "predict". *say: the feedback. *value: the answer in one
 * notation, so that equal answers are equal texts. The caller frees both; either may be NULL. */
answer_kind answer_judge(const json_t *step, const char *text, char **say, char **value);
