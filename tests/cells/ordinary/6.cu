int local() { int count = 1; return count + data.size() + nowhere; }
