pip install nvcc4jupyter
