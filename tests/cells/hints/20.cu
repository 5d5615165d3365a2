template <class T> __device__ void sub(T *p) { *p = 1; }
int *none = nullptr;
{ sub<int> <<<1, 1>>>(none); }
