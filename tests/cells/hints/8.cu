struct Q { static const int v = 3; };
const int &r = Q::v;
