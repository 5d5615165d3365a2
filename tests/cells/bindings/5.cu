it->second + m["a"]
