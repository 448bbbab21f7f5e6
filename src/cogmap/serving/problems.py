"""What is answered to a request that cannot be served: a status of HTTP and one line that says why."""


class Problem(Exception):
    """A request that is refused.

    Parameters
    ----------
    status : int
        The status of HTTP, 4xx or 503.
    message : str
        One line: what was wrong, where, what was expected.
    headers : dict, default=None
        Headers that belong to the status.
    """

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers
