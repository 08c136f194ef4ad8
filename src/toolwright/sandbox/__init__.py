"""Where tools run: the levels of isolation, and the means that provide them.

==============  ===================================================================================
``runner``      the protocol of whatever runs tools, and what it is told: access and limits
``sandbox``     the means of this machine, and which of them serves a level
``in_process``  the level ``none``: in this program
==============  ===================================================================================

This room lies below the executor: it runs what it is given, and knows neither calls nor who allowed them.
"""

from __future__ import annotations

from toolwright.sandbox.in_process import InProcess
from toolwright.sandbox.runner import NO_ACCESS, Access, Available, RunLimits, Runner, Standing, Unavailable
from toolwright.sandbox.sandbox import Sandbox

__all__ = ["NO_ACCESS", "Access", "Available", "InProcess", "RunLimits", "Runner", "Sandbox", "Standing", "Unavailable"]
