int i0 = 3;
use_i0()
