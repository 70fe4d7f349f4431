"""How tests start MPI programs and read what aapc counts: the variables that Open MPI's launchers need in a CI.

They run as root there, with more ranks than cores, which wait for each other and therefore must be bound to no core and
give way while they wait. Open MPI 4's launcher reads OMPI_MCA_ names, that of Open MPI 5 and later (PRRTE) PRTE_MCA_
names. Open MPI 5's component `netlink` finds no way between ranks of one host, and its TCP says so for each pair.
MPICH's needs nothing. The list is a text file, because CMake and C++ tests read it as well.
"""

import os
from pathlib import Path

_LINES = Path(__file__).with_name("launcher-variables.txt").read_text(encoding="ascii").split()
LAUNCHER_VARIABLES = dict(line.split("=", 1) for line in _LINES)


def environment_without_settings():
    """This process's variables without those of aapc, which tests set themselves, and with those of the launchers."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AAPC_")}
    return own | LAUNCHER_VARIABLES


def component_variables(directory):
    """What has Open MPI load the component in that directory, and tests/interposer/on_machine.sh use it."""
    # Open MPI looks no further than to the first directory that is not there, and the user's mostly is not.
    # PMIx takes Open MPI 5's setting for its own as well, and complains, unless it has one.
    return {"OMPI_MCA_mca_base_component_path": f"{directory}:SYSTEM_DEFAULT:USER_DEFAULT",
            "PMIX_MCA_mca_base_component_path": "", "AAPC_TEST_COMPONENT_PRIORITY": "95"}


def component_answers(lines):
    """Whether aapc exec says that it has Open MPI load the component."""
    return any("Open MPI's component coll/aapc answers" in line for line in lines)


def counts_fit(should, did, component):
    """Whether aapc has exchanged and passed through (`did`) what the program says (`should`). Open MPI answers calls
    without data, wrong ones and those between groups before a component sees them."""
    return should[0] == did[0] and (did[1] <= should[1] if component else did[1] == should[1])
