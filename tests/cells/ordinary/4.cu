using namespace std;
#pragma pack(push, 1)
struct Header { char type[2]; unsigned size; };
typedef struct { char c; int i; } Small;
#pragma pack(pop)
struct __align__(16) Wide { float x; };
struct Made {
    static inline int n = 0, m{3};
    Made() { n++; }
    static Made &only() { static Made one; return one; }
    int next() const { static int k = 10; return ++k; }
};
Header header = {{'B', 'M'}, 7};
Small small = {1, 2};
Wide wide;
int count = 0, left = 1;
vector<int> data = {1, 2, 3};
for (int x : data) count += x;
for_each(data.begin(), data.end(), [&count](int x) { count += x; });
auto grow = [&](int by) { return count + by + left; };
void bump() { count++; }
bump();
Made().next();
sizeof(Header) + Made::n + data.size()
