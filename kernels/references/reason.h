/* reason.h: the reason why a library refused, for wbk_reference_error(). */
#pragma once

enum { REASON_SIZE = 400 };
extern char reason[REASON_SIZE] __attribute__((visibility("hidden")));
