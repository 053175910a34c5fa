from tests.support.window_fixtures import anyio_backend, places

__all__ = ["anyio_backend", "places"]
