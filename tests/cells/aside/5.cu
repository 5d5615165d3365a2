struct P { int a, b; };
index + shared() * 100
