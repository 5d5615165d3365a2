struct V0 { int x; }; struct O1 { int x; };
