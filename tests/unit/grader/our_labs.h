/* our_labs.h: results of our labs judged as the grader does: their references and checks are linked
 * into the test. */
#pragma once

#include "grader/check/check.h"

/* A job of labs/LAB with these sizes ("rows=33 cols=70") and this kind of values. */
gr_job our_job(const char *lab, const char *values, const char *sizes);
/* An argument's content before run 0; malloc'd. */
void *our_input(const gr_job *job, const char *name);
/* Returns the right results, one behind the other; malloc'd. */
void *our_results(const char *lab, const gr_job *job);
/* The verdict on such results, with what the lab's check() says behind it. */
gr_verdict our_verdict(const char *lab, const gr_job *job, const void *results);
bool our_pass(const char *lab, const gr_job *job, const void *results);
/* Sets the secret that picks a reference's samples. our_reference() runs it, with its arguments as
 * an array of pointers, and returns false if there is no such lab. */
void our_secret(unsigned long long secret);
bool our_reference(const char *lab, void **arguments);
/* Is this said of them? */
void our_words(const char *lab, const gr_job *job, const void *results, const char *words);
