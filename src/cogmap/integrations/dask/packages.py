"""The packages of Dask, or one sentence that says how to install them."""

from cogmap._optional import import_or_raise

dask, da, dd, distributed = (
    import_or_raise(name, "cogmap.integrations.dask", "dask")
    for name in ("dask", "dask.array", "dask.dataframe", "distributed")
)
