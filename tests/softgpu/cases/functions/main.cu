// Calls: device functions, recursion, pointers to functions, virtual functions, structures by value,
// malloc and new on the device, lambdas, a variadic template.
#include "check.h"

struct Big {
    int x[20];
    double d;
};
__device__ __noinline__ Big change(Big b, float4 v, char c) {
    b.x[3] += (int)v.x;
    b.d += v.w + c;
    return b;
}

__device__ __noinline__ int twice(int x) {
    return 2 * x;
}
__device__ __noinline__ int factorial(int n) {
    return n <= 1 ? 1 : n * factorial(n - 1);
}
__device__ __noinline__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ bool odd(int n);
__device__ __noinline__ bool even(int n) {
    return n == 0 || odd(n - 1);
}
__device__ __noinline__ bool odd(int n) {
    return n != 0 && even(n - 1);
}

typedef int (*Function)(int);
__device__ Function functions[2] = {twice, factorial};

struct Shape {
    __device__ virtual ~Shape() {
    }
    __device__ virtual float area() const = 0;
    __device__ virtual int sides() const {
        return 0;
    }
};
struct Square : Shape {
    float a;
    __device__ Square(float a) : a(a) {
    }
    __device__ float area() const override {
        return a * a;
    }
    __device__ int sides() const override {
        return 4;
    }
};
struct Circle : Shape {
    float r;
    __device__ Circle(float r) : r(r) {
    }
    __device__ float area() const override {
        return 3 * r * r;
    }
};

__global__ void calls(Big *b, int *out) {
    int i = threadIdx.x;
    b[i] = change(b[i], make_float4(i, 1, 2, 3), (char)i);
    out[i] = twice(i) + factorial(i % 8);
    out[i + 64] = ackermann(2, i % 4);
    out[i + 128] = even(i);
    out[i + 192] = functions[i % 2](i % 7); // lanes of one warp call different functions
    if (i % 5 == 0)
        out[i + 256] = factorial(i % 6);    // a call under divergence
    else
        out[i + 256] = twice(i);
}

__global__ void objects(float *out) {
    int i = threadIdx.x;
    Shape *s = i % 3 ? (Shape *)new Square(i) : (Shape *)new Circle(i);
    out[i] = s->area() * 10 + s->sides();
    delete s;
    int *p = (int *)malloc((i + 1) * sizeof(int));
    for (int k = 0; k <= i; k++)
        p[k] = k;
    int sum = 0;
    for (int k = 0; k <= i; k++)
        sum += p[k];
    free(p);
    out[i + 32] = sum;
    out[i + 64] = malloc((size_t)1 << 60) == nullptr;
    free(nullptr);
}

// A list built by one kernel and read by the next: device memory outlives the launch.
struct Node {
    int value;
    Node *next;
};
__device__ Node *head;
__global__ void build_list(int n) {
    for (int i = 0; i < n; i++)
        head = new Node{i, head};
}
__global__ void read_list(int *out) {
    int sum = 0;
    for (Node *n = head, *next; n; n = next) {
        sum = sum * 3 + n->value;
        next = n->next;
        delete n;
    }
    *out = sum;
}

template <class F> __global__ void apply(F f, int *out) {
    out[threadIdx.x] = f(threadIdx.x);
}
template <class... T> __device__ int sum_of(T... v) {
    return (0 + ... + v);
}
__global__ void variadic(int *out) {
    *out = sum_of(1, 2, 3, (int)threadIdx.x + 4);
}

__device__ Function pointer_for_host = twice;
__global__ void through_pointer(Function f, int *out) {
    *out = f(21);
}

int main() {
    std::vector<Big> big(64);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 20; k++)
            big[i].x[k] = i * k, big[i].d = i;
    Big *b = device(big);
    int *out = device<int>(320);
    calls<<<1, 64>>>(b, out);
    LAUNCHED;
    auto gb = fetch(b, 64);
    bool right = true;
    for (int i = 0; i < 64; i++) {
        big[i].x[3] += i;
        big[i].d += 3 + i;
        right = right && memcmp(&big[i], &gb[i], sizeof(Big)) == 0;
    }
    say("structures", right);
    auto o = fetch(out, 320);
    int fact[8] = {1, 1, 2, 6, 24, 120, 720, 5040}, ack[4] = {3, 5, 7, 9};
    bool ok[5] = {true, true, true, true, true};
    for (int i = 0; i < 64; i++) {
        ok[0] = ok[0] && o[i] == 2 * i + fact[i % 8];
        ok[1] = ok[1] && o[i + 64] == ack[i % 4];
        ok[2] = ok[2] && o[i + 128] == (i % 2 == 0);
        ok[3] = ok[3] && o[i + 192] == (i % 2 ? fact[i % 7] : 2 * (i % 7));
        ok[4] = ok[4] && o[i + 256] == (i % 5 == 0 ? fact[i % 6] : 2 * i);
    }
    printf("calls %d, ackermann %d, mutual %d, pointers %d, diverged %d\n", ok[0], ok[1], ok[2], ok[3], ok[4]);
    float *f = device<float>(96);
    objects<<<1, 32>>>(f);
    LAUNCHED;
    auto g = fetch(f, 96);
    printf("%g %g %g | %g %g | %g\n", g[3], g[4], g[31], g[32], g[63], g[64]);
    build_list<<<1, 1>>>(10);
    read_list<<<1, 1>>>(out);
    LAUNCHED;
    printf("list %d\n", fetch(out, 1)[0]);
    int k = 5;
    apply<<<1, 4>>>([k] __device__(int i) { return i * k; }, out);
    LAUNCHED;
    printf("lambda %d\n", fetch(out, 4)[3]);
    variadic<<<1, 1>>>(out);
    LAUNCHED;
    printf("variadic %d\n", fetch(out, 1)[0]);
    Function pointer;
    CUDA(cudaMemcpyFromSymbol(&pointer, pointer_for_host, sizeof pointer));
    through_pointer<<<1, 1>>>(pointer, out);
    LAUNCHED;
    printf("pointer %d\n", fetch(out, 1)[0]);
}
