int operator+(O1 a, O1 b) { return a.x + b.x + c1; }
(O1{0} + O1{0})
