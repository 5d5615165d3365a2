int main() {
    cudaThreadSynchronize();
}
