std::make_tuple(1, 2.5f, 'c', true, "str\n", std::string("s"), 0.1, 1e30, pt, m, dim3(1, 2, 3), make_float4(1, 2, 3, 4), (uint8_t)65, cudaErrorInvalidValue, std::make_pair(1, -2), nullptr)
