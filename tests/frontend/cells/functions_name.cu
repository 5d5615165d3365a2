// left it has a variable of a function's name
namespace __wb_aside { double floor = 4; }
using namespace __wb_aside;
