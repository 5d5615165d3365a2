struct particle {
    float x;
    __half weight;
    unsigned char tag;
    long long id;
};

void reference(const particle *points, particle *moved, const int *order, int *bag, const __half *values, float *sum,
               unsigned *marks, int *peak, const unsigned char *text, long long *blanks, int n, double scale,
               double *sum_magnitude) {
    double all = 0, magnitude = 0;
    *peak = 0;
    *blanks = 0;
    for (int i = 0; i < n; i++) {
        float v = __half2float(values[i]);
        moved[i] = points[i];
        moved[i].x = (float)(points[i].x * scale);
        bag[i] = order[i] * 3;
        marks[i] ^= 1;
        all += v;
        magnitude += fabs(v);
        if (v > __half2float(values[*peak]))
            *peak = i;
        *blanks += text[i] == ' ';
    }
    *sum = (float)all;
    *sum_magnitude = magnitude;
}
