"""What a kernel costs: times beside the limit if there is a GPU, and counts from the simulator if there is none."""
