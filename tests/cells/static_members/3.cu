struct F3 { int operator()() const { return S3::n; } };
std::function<int()> holder3 = F3{};
struct B3 { virtual int get() const = 0; virtual ~B3() {} }; struct O3 : B3 { int get() const override { return S3::n; } };
std::unique_ptr<B3> object3 = std::make_unique<O3>();
