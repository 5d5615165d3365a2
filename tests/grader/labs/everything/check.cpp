// Any place of the largest value will do.
const char *check(const particle *points, const particle *moved, const int *order, const int *bag, const __half *values,
                  const float *sum, const unsigned *marks, const int *peak, const unsigned char *text, const long long *blanks,
                  int n, double scale, const particle *moved_expected, const int *bag_expected, const float *sum_expected,
                  const unsigned *marks_expected, const int *peak_expected, const long long *blanks_expected,
                  const unsigned *marks_before) {
    if (n > 0 && (marks_before[0] ^ 1) != marks_expected[0])
        return "marks_before is not what marks held before";
    if (*peak < 0 || *peak >= n)
        return "peak is no place in values";
    return __half2float(values[*peak]) == __half2float(values[*peak_expected]) ? 0 : "peak is not the place of a largest value";
}
