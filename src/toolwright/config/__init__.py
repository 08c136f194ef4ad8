"""Where settings come from, and which of them hold.

============  ==========================================================================================
``settings``  the settings, typed and frozen
``keys``      what each is called in a file, what it may hold, and whether a project may say it
``sources``   one source: a file, the environment, options; read strictly
``loading``   all sources together: the defaults, a project's file, the user's file, environment, options
``trust``     the folders whose files may loosen what the user has
``places``    where the user's files are
============  ==========================================================================================

Every value knows where it came from. What a project's file says counts only where it is stricter than the default,
unless the user has trusted its folder; what was left out is told.

A table ``policy`` is found here and handed on as it is: this room may not know what a rule is, nor who uses a setting.
"""

from __future__ import annotations

from toolwright.config.keys import KEYS, Key
from toolwright.config.loading import Configuration, Ignored, Origin, PolicyTable, load_configuration
from toolwright.config.places import PROJECT_FILE, Places, find_project_file
from toolwright.config.settings import Settings
from toolwright.config.trust import TrustedFolder, TrustedFolders

__all__ = [
    "KEYS",
    "PROJECT_FILE",
    "Configuration",
    "Ignored",
    "Key",
    "Origin",
    "Places",
    "PolicyTable",
    "Settings",
    "TrustedFolder",
    "TrustedFolders",
    "find_project_file",
    "load_configuration",
]
