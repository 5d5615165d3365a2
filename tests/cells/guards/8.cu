s.size()
