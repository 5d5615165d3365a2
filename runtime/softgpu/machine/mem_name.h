/* mem_name.h: names for memory that someone else owns. */
#ifndef SOFTGPU_MEM_NAME_H
#define SOFTGPU_MEM_NAME_H

/* Gives the live range that begins at base a name, as sg_mem_alloc() does. */
void sg_mem_name(const void *base, const char *name);

#endif
