throw std::runtime_error("na\xefve " + s + " \xc3\xa9");
