10 * get() + x
