/* refuse.h: lets the recorder's other libraries stop the plan. */
#pragma once

/* Writes the plan with this error and ends the process. */
__attribute__((visibility("default"))) _Noreturn void wb_record_refuse(const char *call,
                                                                       const char *text);
