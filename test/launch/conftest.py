from launched import launched

__all__ = ["launched"]
