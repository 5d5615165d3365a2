#include <stdexcept>

throw std::runtime_error(__FILE__);
