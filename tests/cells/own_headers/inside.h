/* One that the parser can't take apart: a list for X. */
X(red, 1)
X(green, 2)
