/* embed.h: a file of the sources as bytes of the program, for a script or a help text that is
 * easier to read as a file of its own. */
#pragma once

/* Defines name[], the bytes of the file and a 0. The path begins at the project's root. A rule in
 * module.mk makes the object depend on the file. */
#define WB_EMBED(name, path)                                                                       \
    __asm__(".section .rodata\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.previous\n");           \
    __attribute__((visibility("hidden"))) extern const char name[]
