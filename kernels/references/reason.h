/* reason.h: where the references leave why their library refused (wbk_reference_error). */
#ifndef WARPBOOK_REFERENCES_REASON_H
#define WARPBOOK_REFERENCES_REASON_H

enum { REASON_SIZE = 400 };
extern char reason[REASON_SIZE] __attribute__((visibility("hidden")));

#endif
