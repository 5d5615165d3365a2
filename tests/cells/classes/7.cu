struct Named { int m; } named{7}
