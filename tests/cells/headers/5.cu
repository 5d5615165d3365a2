n = 1;
nowhere
