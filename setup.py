"""Makes the completion for shells as the package is built. Everything else about the package is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithCompletion(build_py):
    """Builds the modules, and completion beside them."""

    def run(self) -> None:
        """Leave the files where `install_data` finds them."""
        super().run()
        # The build's interpreter does not look into the folder that it builds.
        sys.path.insert(0, str(Path(__file__).resolve().parent))
        from tools.completion import written

        folder = Path(self.get_finalized_command("build").build_base, "completion")
        self.distribution.data_files = [*(self.distribution.data_files or []), *written(folder)]


setup(cmdclass={"build_py": BuildWithCompletion})
