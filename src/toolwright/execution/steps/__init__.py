"""The steps of an execution, one file each, in the order in which the executor takes them.

============  ============================================================================
``find``      the tool that a call names, among those that are offered
``validate``  its arguments
``paths``     its paths
``permit``    whether it may run: permissions, tier, policy, limits
``approve``   asking a person, where the policy wants that; the one place that makes an ``Approved``
``admit``     waiting for a slot
``run``       putting it on record, and running it under its deadline
``bound``     what it gave, within the schema and the size that it may have
``record``    how it ended, on record and told to whoever listens
============  ============================================================================

A step takes the stage before it and makes the next, or raises ``Refused``. None knows those around it.
"""

from __future__ import annotations

__all__: list[str] = []
