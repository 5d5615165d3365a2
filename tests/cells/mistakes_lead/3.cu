auto z;
