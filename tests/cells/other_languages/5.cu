cd build
