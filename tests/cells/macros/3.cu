int fine = 1;

DEFINE_KERNEL(wrong, float, unknown)
