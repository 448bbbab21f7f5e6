"""How rows are cut into blocks, so that what is computed from them stays in the cache, and the same for any threads."""

from itertools import pairwise

from cogmap._utils.segments import segments

# A block has about this many states, to stay in the cache, and not fewer rows than a product needs to be efficient.
# Smaller blocks would be a little faster on one thread but spend most of their time waiting for Python's lock on two.
_BLOCK_STATES = 2**19
_BLOCK_ROWS_AT_LEAST = 1024
_RUNS = 8


def usual_block_rows(n_concepts: int) -> int:
    """Return how many rows a block has at the most, to suit the cache."""
    return max(_BLOCK_ROWS_AT_LEAST, _BLOCK_STATES // n_concepts)


def row_runs(n_rows: int, block_rows: int) -> list[list[slice]]:
    """Cut rows into runs of equal length, and each run into blocks of nearly equal length."""
    n_blocks = -(-n_rows // block_rows)
    if n_blocks == 1:
        return [[slice(0, n_rows)]]
    n_runs = min(_RUNS, 2 ** (n_blocks - 1).bit_length())  # a power of two shares well between threads
    a_run = -(-n_blocks // n_runs)
    edges = [i * n_rows // (n_runs * a_run) for i in range(n_runs * a_run + 1)]
    blocks = [slice(start, stop) for start, stop in pairwise(edges)]
    return [blocks[i : i + a_run] for i in range(0, len(blocks), a_run)]


def segment_runs(n_rows: int, block_rows: int) -> list[list[list[slice]]]:
    """Cut rows into segments, and each segment into runs of blocks."""
    return [
        [[slice(segment.start + block.start, segment.start + block.stop) for block in run] for run in runs]
        for segment in segments(n_rows)
        for runs in [row_runs(segment.stop - segment.start, block_rows)]
    ]
