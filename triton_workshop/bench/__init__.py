"""What a kernel costs: times beside the limit where there is a GPU, counts of the simulator where there is none."""
