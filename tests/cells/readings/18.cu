big.size() + more.size()
