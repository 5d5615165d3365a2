dv
