"""Makes the completion for shells as the package is built. Everything else about the package is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithCompletion(build_py):
    """Builds the modules, and completion beside them."""

    def run(self) -> None:
        """Leave the files where they are installed from. An editable installation has no place for them."""
        super().run()
        if self.editable_mode:
            return
        # The build's interpreter does not look into the folder that it builds.
        sys.path.insert(0, str(Path(__file__).resolve().parent))
        from tools.completion import written

        self.distribution.data_files = [*(self.distribution.data_files or []), *written(Path("build/completion"))]


setup(cmdclass={"build_py": BuildWithCompletion})
