void nonsense() { asm("no_such_instruction_at_all"); }
