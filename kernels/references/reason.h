/* reason.h: the reason why a library refused, for wbk_reference_error(). */
#ifndef WARPBOOK_REFERENCES_REASON_H
#define WARPBOOK_REFERENCES_REASON_H

enum { REASON_SIZE = 400 };
extern char reason[REASON_SIZE] __attribute__((visibility("hidden")));

#endif
