int early = 2;
int fails() { throw std::runtime_error("no"); }
int own = fails();
int late = 3, later, plain = 9;
std::string name = "new";
int uses(int more) { return late + more; }
int shout() { return 10 * uses(1); }
int harmless(int late) { return late * 2; }
const int constant = 8;
__global__ void kernel(int late) { }
early = 20;
