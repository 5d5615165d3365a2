calls = 0; tf<int>(a); tf<int *>(p); std::swap<int>(a, b); *p * 10 + calls
