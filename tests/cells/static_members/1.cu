#include <memory>
#include <functional>
struct S3 { static int n; };
