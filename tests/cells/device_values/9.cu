auto read = [] { return counter + made.x; };
counter > 1
