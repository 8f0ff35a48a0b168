"""Why a message or a configuration was refused."""


class MessageError(ValueError):
    """A message cannot be used; the text names the field and what was expected."""


class ConfigurationError(ValueError):
    """A node cannot start as configured; the text names the parameter or file."""
