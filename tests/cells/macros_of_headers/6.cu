#undef size
