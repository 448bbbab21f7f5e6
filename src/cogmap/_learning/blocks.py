"""Division of rows into blocks that fit the cache and do not depend on the number of threads."""

from itertools import pairwise

from cogmap._utils.segments import segments

# A block has about this many states, to fit the cache, but enough rows for efficient matrix products. Smaller blocks
# would be slightly faster with one thread, but would mostly wait for the global interpreter lock with two.
_BLOCK_STATES = 2**19
_MIN_BLOCK_ROWS = 1024
_MAX_RUNS = 8


def usual_block_rows(n_concepts: int) -> int:
    """Return the maximum number of rows in a block that fits the cache."""
    return max(_MIN_BLOCK_ROWS, _BLOCK_STATES // n_concepts)


def row_runs(n_rows: int, block_rows: int) -> list[list[slice]]:
    """Divide rows into runs of equal length, and each run into blocks of nearly equal length."""
    n_blocks = -(-n_rows // block_rows)
    if n_blocks == 1:
        return [[slice(0, n_rows)]]
    n_runs = min(_MAX_RUNS, 2 ** (n_blocks - 1).bit_length())  # a power of two is easy to share between threads
    blocks_per_run = -(-n_blocks // n_runs)
    ends = [i * n_rows // (n_runs * blocks_per_run) for i in range(n_runs * blocks_per_run + 1)]
    blocks = [slice(start, stop) for start, stop in pairwise(ends)]
    return [blocks[i : i + blocks_per_run] for i in range(0, len(blocks), blocks_per_run)]


def segment_runs(n_rows: int, block_rows: int) -> list[list[list[slice]]]:
    """Divide rows into segments, and each segment into runs of blocks."""
    return [
        [[slice(segment.start + block.start, segment.start + block.stop) for block in run] for run in runs]
        for segment in segments(n_rows)
        for runs in [row_runs(segment.stop - segment.start, block_rows)]
    ]
