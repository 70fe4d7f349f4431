"""What can go wrong, as the person at the terminal should hear it."""


class LabError(Exception):
    """A failure with a message for the user and the exit status that goes with it."""

    exit_status = 1


class UsageError(LabError):
    """The command or its input is wrong, or does not fit the state of the lab."""

    exit_status = 2


class Interrupted(LabError):
    """A signal asked this program to end. Raised wherever the program happens to be, so that it can clean up."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"interrupted by signal {signal_number}")
        self.exit_status = 128 + signal_number
