int never_compiled_before = 4711;
never_compiled_before + 1
