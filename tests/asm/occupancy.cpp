// Prints, for each line of its input, how many blocks of a kernel CUDA's occupancy header says fit on an SM, and why no
// more: compute capability, threads of an SM, shared memory of an SM and of a block, what CUDA reserves of it, and then
// registers of a thread, shared memory of a block, and warps of a block.
#include <cstdio>
#include <cuda_occupancy.h>

int main() {
    int capability, threads, registers, warps;
    size_t of_sm, of_block, reserved, shared;
    while (std::scanf("%d %d %zu %zu %zu %d %zu %d", &capability, &threads, &of_sm, &of_block, &reserved, &registers,
                      &shared, &warps) == 8) {
        cudaOccDeviceProp device;
        device.computeMajor = capability / 10;
        device.computeMinor = capability % 10;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = threads;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 << 10;
        device.sharedMemPerMultiprocessor = of_sm;
        device.sharedMemPerBlockOptin = of_block;
        device.reservedSharedMemPerBlock = reserved;
        device.numSms = 1;
        cudaOccFuncAttributes kernel;
        kernel.maxThreadsPerBlock = 1024;
        kernel.numRegs = registers;
        kernel.sharedSizeBytes = 0;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxDynamicSharedSizeBytes = of_block;
        kernel.numBlockBarriers = 1;
        cudaOccDeviceState state;
        cudaOccResult result;
        int error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, 32 * warps, shared);
        std::printf("%d %d %u\n", error, result.activeBlocksPerMultiprocessor, result.limitingFactors);
    }
}
