"""Sweeps without a lab: their files, what is missing, what is kept, how it is shown; and which aapc the lab asks."""

import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

LAB = Path(__file__).resolve().parents[2] / "lab"
sys.path.insert(0, str(LAB))
sys.dont_write_bytecode = True

from emulation import program  # noqa: E402
from emulation.errors import Interrupted, LabError, UsageError  # noqa: E402
from sweeping import calls, definition, jobs, medians, programs, runner, running, tables  # noqa: E402
from sweeping.definition import Bench, Calls, Fit, Network, Programs, Sweep, sizes  # noqa: E402

METHODS = ["native", "ring"]
SECONDS = {"native": [4.0, 5.0, 6.0], "ring": [2.0, 2.5, 1.5], "interposed": [1.0, 1.0, 1.0]}


def candidate(name: str, first: str) -> dict:
    seconds = SECONDS[name]
    ratios = sorted(one / other for one, other in zip(SECONDS[first], seconds))
    return {
        "candidate": f"{name}/plain" if name == "ring" else name,
        "median_seconds": sorted(seconds)[1],
        "interval": {"low": min(seconds), "high": max(seconds), "level": 0.75},
        "first_over_this": {"median": ratios[1], "interval": {"low": ratios[0], "high": ratios[2], "level": 0.75}},
        "samples": [{"seconds": one} for one in seconds],
    }


def document(message_sizes: list[int], methods: list[str]) -> dict:
    """As `aapc bench` writes it."""
    return {
        "mpi": "Open MPI v4.1.4",
        "date": "2026-11-21T11:07:15Z",
        "ranks": 4,
        "sizes": [
            {
                "message_bytes": size,
                "least_seconds": 1.0,
                "candidates": [candidate(method, methods[0]) for method in methods],
            }
            for size in message_sizes
        ],
    }


def sweep(**changes: object) -> Sweep:
    usual: dict = {
        "summary": "",
        "networks": [Network("chain-4x4.toml"), Network("switch-16.toml", speed="25Mbit")],
        "parts": [Bench(sizes("8,64"), METHODS, repeats=3)],
        "mpis": ["openmpi"],
    }
    return Sweep(**(usual | changes))


class Case(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        for patch in (
            mock.patch.object(jobs, "seconds_per_byte", lambda topology: 1e-6),
            mock.patch.object(jobs, "mpirun", self.mpirun),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.ran: list[dict] = []
        self.fail_on: Exception | None = None

    def mpirun(self, lab: str, mpi: str, launcher_options: list[str], *command: str, prefix: list[str] = ()) -> None:
        """Does what an `aapc bench` on a lab would leave behind."""
        options = dict(zip(command[1::2], command[2::2]))
        self.ran.append({"mpi": mpi, "prefix": list(prefix), "tuning": os.environ.get("AAPC_TUNING"), "command": command[0], **options})
        if self.fail_on is not None:
            raise self.fail_on
        if command[0] == "tune":
            Path(options["-o"]).write_text("")
            return
        asked = options["--candidates"].split(",")
        Path(options["-o"]).write_text(
            json.dumps(document([int(size) for size in options["--sizes"].split(",")], asked))
        )

    def plan(self, of: Sweep, **choice: object) -> jobs.Plan:
        return jobs.Plan("test", of, jobs.Choice(**choice), self.directory)

    def carry_out(self, of: Sweep, **choice: object) -> list[str]:
        """What was put up and taken down."""
        steps = []

        @contextlib.contextmanager
        def put_up(lab: str, topology: Path, *options: str):
            steps.append(f"up {topology.stem} {' '.join(options)}")
            try:
                yield
            finally:
                steps.append("down")

        with contextlib.redirect_stderr(io.StringIO()):
            runner.carry_out(self.plan(of, **choice).missing(self.directory), "test", put_up)
        return steps


CHAIN = """[network]
speed = "25Mbit"
[[switch]]
name = "s0"
machines = "n[0-3]"
[[switch]]
name = "s1"
uplink = "s0"
speed = "100Mbit"
machine_speed = "12.5Mbit"
machines = "n4"
"""


class Disturbed(Case):
    def test_speeds_are_wrong_by_a_factor_everywhere_or_on_trunks(self) -> None:
        everywhere = definition.with_speeds_times(0.5)(CHAIN)
        self.assertEqual(
            [line.split('"')[1] for line in everywhere.splitlines() if "speed" in line],
            ["12.5Mbit", "50Mbit", "6.25Mbit"],
        )
        trunks = definition.with_speeds_times(2, trunks_only=True)(CHAIN)
        self.assertIn('[network]\nspeed = "25Mbit"', trunks)
        self.assertIn('speed = "200Mbit"', trunks)

    def test_ranks_are_told_another_file_and_the_bound_is_the_lab_s(self) -> None:
        network = Network("chain-4x4.toml", told=definition.with_speeds_times(0.5))
        with mock.patch.object(jobs, "seconds_per_byte", lambda topology: 2.0 if "told" in topology.stem else 1.0):
            self.carry_out(sweep(networks=[network]))
        self.assertTrue(self.ran[0]["--topology"].endswith("chain-4x4-told.toml"))
        self.assertEqual({row["bound_seconds"] for row in self.plan(sweep()).medians.rows}, {"0.5"})

    def test_options_and_variables_reach_the_ranks_and_stay_with_them(self) -> None:
        seen = []
        network = Network("chain-4x4.toml", bench_options=["--late", "1:2:3"], environment={"AAPC_TEST_CLOCK": "1"})
        with mock.patch.object(self, "mpirun", side_effect=self.mpirun) as mpirun:
            mpirun.side_effect = lambda *words, **named: (
                seen.append(os.environ["AAPC_TEST_CLOCK"]),
                Case.mpirun(self, *words, **named),
            )
            with mock.patch.object(jobs, "mpirun", mpirun):
                self.carry_out(sweep(networks=[network]))
        self.assertEqual(self.ran[0]["--late"], "1:2:3")
        self.assertEqual(seen, ["1"])
        self.assertNotIn("AAPC_TEST_CLOCK", os.environ)


class Resuming(Case):
    def test_a_rival_takes_the_place_of_the_mpi_s_own_and_is_kept_apart(self) -> None:
        library = self.directory / "rival-openmpi.so"
        library.touch()
        rival = definition.rival(f"other-1={self.directory}/rival-{{mpi}}.so:HOW=1:WHERE=here")
        one = sweep(networks=[Network("chain-4x4.toml")], parts=[Bench(sizes("8"), METHODS, repeats=3)])
        self.carry_out(one, rivals=[rival])
        self.assertEqual([run["prefix"] for run in self.ran], [[], ["env", f"LD_PRELOAD={library}", "HOW=1", "WHERE=here"]])
        self.assertEqual([run["mpi"] for run in self.ran], ["openmpi", "openmpi"])
        rows = self.plan(one).medians.rows
        self.assertEqual([row["mpi"] for row in rows], ["openmpi", "openmpi", "openmpi+other-1", "openmpi+other-1"])
        self.carry_out(one, rivals=[rival])
        self.assertEqual(len(self.ran), 2)
        for wrong in ("", "x", "=a.so", "x=", "x=a.so:HOW", "a/b=a.so"):
            with self.assertRaisesRegex(UsageError, "is not NAME=LIBRARY"):
                definition.rival(wrong)
        with self.assertRaisesRegex(UsageError, "is not there"):
            self.carry_out(one, rivals=[definition.rival("x=missing.so")])

    def test_what_is_there_is_not_measured_again(self) -> None:
        steps = self.carry_out(sweep())
        self.assertEqual(len(self.ran), 2)
        self.assertEqual([step.split()[0] for step in steps], ["up", "down", "up", "down"])
        self.assertEqual(self.carry_out(sweep()), [])

    def test_only_the_missing_size_is_measured(self) -> None:
        self.carry_out(sweep(), sizes=[8])
        self.ran.clear()
        self.carry_out(sweep())
        self.assertEqual([run["--sizes"] for run in self.ran], ["64", "64"])

    def test_a_new_method_is_measured_with_the_others_and_replaces_them(self) -> None:
        self.carry_out(sweep(), methods=["native"])
        self.ran.clear()
        self.carry_out(sweep())
        self.assertEqual({run["--candidates"] for run in self.ran}, {"native,ring"})
        rows = self.plan(sweep()).medians.rows
        self.assertEqual(len(rows), 2 * 2 * 2)
        self.assertEqual(len({(row["network"], row["message_bytes"], row["asked"]) for row in rows}), len(rows))

    def test_fresh_forgets_what_it_measures_and_nothing_else(self) -> None:
        self.carry_out(sweep())
        self.ran.clear()
        self.fail_on = running.RunFailed(["aapc"], 1)
        with self.assertRaises(LabError):
            self.carry_out(sweep(), fresh=True, only=["chain"], sizes=[8])
        self.assertEqual(len(self.plan(sweep()).medians.rows), 2 * 2 * 2)
        self.fail_on = None
        self.ran.clear()
        self.carry_out(sweep(), fresh=True, only=["chain"])
        self.assertEqual([run["--sizes"] for run in self.ran], ["8,64"])
        rows = self.plan(sweep()).medians.rows
        self.assertEqual(len(rows), 2 * 2 * 2)
        self.assertEqual(rows[-1]["network"], "chain-4x4")

    def test_what_was_measured_before_an_interrupt_is_kept(self) -> None:
        of = sweep(mpis=["openmpi", "mpich"], networks=[Network("chain-4x4.toml")])
        real = self.mpirun

        def interrupted(lab: str, mpi: str, *rest: object, **named: object) -> None:
            if mpi == "mpich":
                raise Interrupted(2)
            real(lab, mpi, *rest, **named)

        with mock.patch.object(jobs, "mpirun", interrupted), self.assertRaises(Interrupted):
            self.carry_out(of)
        self.assertEqual([run["mpi"] for run in self.ran], ["openmpi"])
        self.carry_out(of)
        self.assertEqual([run["mpi"] for run in self.ran], ["openmpi", "mpich"])

    def test_a_run_that_fails_does_not_end_the_sweep(self) -> None:
        self.fail_on = running.RunFailed(["aapc"], 1)
        with self.assertRaisesRegex(LabError, "2 of 2 runs failed"):
            self.carry_out(sweep())
        self.assertEqual(len(self.ran), 2)
        self.assertEqual(self.plan(sweep()).medians.rows, [])

    def test_settings_are_a_grid_and_labs_are_put_up_once_for_all_mpis(self) -> None:
        of = sweep(
            networks=[Network("torus-4x4.toml"), Network("chain-4x4.toml")],
            mpis=["openmpi", "mpich"],
            congestion_controls=["cubic", "bbr"],
            buffers=["128Ki", "32Ki"],
        )
        steps = self.carry_out(of)
        ups = [step for step in steps if step != "down"]
        # A torus has no switches whose buffers could differ.
        self.assertEqual(ups[:2], [f"up torus-4x4 --congestion-control {control}" for control in ("cubic", "bbr")])
        self.assertEqual(len(ups), 2 + 4)
        self.assertEqual(len(self.ran), 2 * len(ups))


class Choosing(Case):
    def test_networks(self) -> None:
        titles = [network.title for network in self.plan(sweep(), only=["16"]).networks()]
        self.assertEqual(titles, ["switch-16-25Mbit"])
        usual = sweep(usual=["chain-4x4"])
        self.assertEqual([network.title for network in self.plan(usual).networks()], ["chain-4x4"])
        self.assertEqual(len(self.plan(usual, only=["16", "chain"]).networks()), 2)

    def test_each_size_goes_to_the_part_for_such_sizes(self) -> None:
        of = sweep(parts=[Bench([1024, 4096], ["native", "ring"], 3), Bench([64], ["native"], 61)])
        self.carry_out(of, sizes=[8, 64, 512, 1024, 2048], only=["chain"])
        measured = {(run["--sizes"], run["--candidates"], run["--repeats"]) for run in self.ran}
        self.assertEqual(measured, {("8,64,512", "native", "61"), ("1024,2048", "native,ring", "3")})

    def test_parts_of_some_networks_only(self) -> None:
        of = sweep(
            parts=[
                Bench([8], ["native"], 3, only_on=["chain-4x4"]),
                Bench([8], ["ring"], 3, only_on=["switch-16-25Mbit"]),
            ]
        )
        self.carry_out(of)
        self.assertEqual([run["--candidates"] for run in self.ran], ["native", "ring"])
        self.ran.clear()
        self.carry_out(of, networks=[Network(str(definition.TOPOLOGY_DIRECTORIES[1] / "star-4+3x4.toml"))])
        self.assertEqual([run["--candidates"] for run in self.ran], ["native"])

    def test_a_tuning_comes_first_and_is_obeyed(self) -> None:
        of = sweep(networks=[Network("chain-4x4.toml")], tune_minutes=0.5)
        self.carry_out(of)
        self.assertEqual([run["command"] for run in self.ran], ["tune", "bench"])
        self.assertEqual(self.ran[0]["--minutes"], "0.5")
        self.assertEqual(self.ran[1]["tuning"], self.ran[0]["-o"])
        self.assertNotIn("AAPC_TUNING", os.environ)

    def test_a_speed_replaces_the_only_one(self) -> None:
        self.assertIn('speed = "25Mbit"', Network("switch-16.toml", speed="25Mbit").text())
        self.assertNotIn("100Mbit", Network("switch-16.toml", speed="25Mbit").text())
        with self.assertRaisesRegex(UsageError, "has 3 speeds"):
            Network("uneven-nodes.toml", speed="25Mbit").text()
        with self.assertRaisesRegex(UsageError, "neither there nor"):
            Network("no-such.toml").text()


class Keeping(Case):
    def test_rows_are_medians_with_intervals_and_ratios_to_the_first(self) -> None:
        (native, ring) = medians.bench_rows(document([8], METHODS), METHODS)
        self.assertEqual(ring["mean_seconds"], "2")
        self.assertEqual((native["asked"], native["method"], native["median_seconds"]), ("native", "native", "5"))
        self.assertEqual((ring["asked"], ring["method"], ring["rounds"]), ("ring", "ring/plain", "3"))
        self.assertEqual((ring["low_seconds"], ring["median_seconds"], ring["high_seconds"]), ("1.5", "2", "2.5"))
        self.assertEqual(
            (ring["first_over_this_low"], ring["first_over_this"], ring["first_over_this_high"]), ("2", "2", "4")
        )

    def test_a_file_is_read_as_it_was_written(self) -> None:
        self.carry_out(sweep())
        rows = self.plan(sweep()).medians.rows
        self.assertEqual({row["buffer_bytes"] for row in rows}, {"131072"})
        text = (self.directory / "test.csv").read_text()
        self.plan(sweep()).medians.put(rows)
        self.assertEqual((self.directory / "test.csv").read_text(), text)

    def test_what_is_chosen_in_odd_rounds_is_compared_in_even_ones(self) -> None:
        many = document([8], ["native", "interposed"])
        native, tuned = many["sizes"][0]["candidates"]
        native["samples"] = [{"seconds": seconds} for seconds in (1, 8) * 4]
        tuned["samples"] = [{"seconds": 4} for _ in range(8)]
        (row, _) = medians.bench_rows(many, ["native", "interposed"], "interposed")
        self.assertEqual((row["odd_rounds_seconds"], row["held_out_over_this"]), ("1", "0.5"))

    def test_samples_of_a_fit(self) -> None:
        text = "# topology: x\nranks,message_bytes,seconds\n\n2,8,0.5\n4,8,1e-3\n"
        rows = medians.sample_rows("a", "native", text)
        self.assertEqual(
            [(row["part"], row["ranks"], row["seconds"]) for row in rows], [("a", "2", "0.5"), ("a", "4", "1e-3")]
        )


class Showing(Case):
    def test_fractions_leads_and_intervals(self) -> None:
        self.carry_out(sweep(), only=["chain"], sizes=[8])
        rows = self.plan(sweep()).medians.rows
        brief = tables.bench_tables(rows)
        self.assertIn("chain-4x4, cubic, buffers of 128K, openmpi: 4 ranks, Open MPI v4.1.4, 2026-11-21", brief)
        self.assertIn("| `native` | 0.20 |", brief)
        self.assertIn("| `ring/plain` | 0.50; 2.00 |", brief)
        self.assertIn("0.50 (0.40 to 0.67); 2.00 (2.00 to 4.00)", tables.bench_tables(rows, tables.interval_cell))

    def test_a_doubtful_lead_is_marked(self) -> None:
        (_, ring) = medians.bench_rows(document([8], METHODS), METHODS)
        self.assertEqual(tables.lead_cell(ring | {"first_over_this_low": "0.9"}, False), "0.50; 2.00?")

    def test_what_a_tuning_is_worth(self) -> None:
        methods = ["native", "interposed", "ring"]
        of = sweep(parts=[Bench([8192], methods, 3, held_out="interposed")], tune_minutes=1)
        self.carry_out(of, only=["chain"])
        shown = tables.of_plan(self.plan(of))
        self.assertIn("| 8K | 0.200; 1.000 | 5.00 | 0.50 | `ring/plain` | 3 |", shown)
        self.assertIn("Geometric mean of native/tuned from 8 KB up: 5.00", shown)


class ProgramsOfManyCalls(Case):
    SECONDS = {"native": 4.0, "learned": 2.2, "clock": 1.0, "lattice": 2.0}

    def program_output(self, lab: str, mpi: str, launcher_options: list[str], *command: str) -> str:
        forced = command[command.index("--algorithm") + 1] if "--algorithm" in command else "learned"
        method = "native" if "exec" not in command else "clock" if command[0] == "env" else forced
        self.ran.append({"method": method, "program": command[-3:]})
        return "said by a launcher\n" + "".join(
            f"{calls} {int(calls) * self.SECONDS[method]}\n" for calls in command[-2].split(",")
        )

    def setUp(self) -> None:
        super().setUp()
        for name, instead in (
            ("program_output", self.program_output),
            ("aapc_beside", Path),
            ("seconds_per_byte", lambda topology: 1e-6),
        ):
            patch = mock.patch.object(calls, name, instead)
            patch.start()
            self.addCleanup(patch.stop)

    def test_methods_take_turns_and_what_is_there_is_not_measured_again(self) -> None:
        of = sweep(
            networks=[Network("chain-4x4.toml")],
            parts=[
                Calls("equal", {3: 3, 10: 2}, sizes("1Ki,64Ki"), ["lattice"]),
                Calls("unequal", {100: 2}, sizes("1Ki"), ["clock"]),
            ],
        )
        self.carry_out(of)
        self.assertEqual(len(self.ran), 2 * 3 * 3 + 3 * 2)
        programs = [run["program"] for run in self.ran[:9:3]]
        self.assertEqual(programs, [("equal", "3,10", "1024"), ("equal", "3,10", "1024"), ("equal", "3", "1024")])
        for turn in range(0, len(self.ran), 3):
            self.assertEqual(len({run["method"] for run in self.ran[turn : turn + 3]}), 3)
        self.assertEqual(self.plan(of).missing(self.directory), [])
        rounds = {row["calls"]: row["rounds"] for row in self.plan(of).medians.rows if row["kind"] == "equal"}
        self.assertEqual(rounds, {"3": "3", "10": "2"})
        table = tables.of_plan(self.plan(of))
        self.assertIn("| 10 | 1K |  | 40 s | 22 s | 20 s `lattice` | 1.818 (1.82 to 1.82) | 1.100 |", table)
        self.assertIn("| 3 | 1K |  | 12 s | 6.6 s | 6 s `lattice` | 1.818 (1.82 to 1.82) | 1.100 |", table)
        self.assertIn("`clock` | 1.818 (1.82 to 1.82) | 2.200 |", table)

    def test_the_time_is_that_of_the_longest_program_of_each_round(self) -> None:
        part = Calls("equal", {10: 3, 100: 1}, [1000], ["lattice"])
        # 1 us a byte, twice; 3 ms a call; 2 s for each start.
        self.assertAlmostEqual(calls.expected_seconds(part, 1000, Path(), 2), 3 * (120 * 0.005 + 3 * 2))


class RealPrograms(Case):
    SECONDS = {"without": 10.0, "counted": 12.0, "default": 8.0, "clock": 5.0}
    DROPS = {"without": 40, "counted": 30, "default": 2, "clock": 0}
    COUNTED = (
        "aapc: communicator of 16 ranks: native\n"
        "aapc: MPI_Alltoallv: 480 exchanged (937.5 MiB, 1.5 s); 32 passed through, too short (64 KiB, 500 ms)\n"
        "aapc: MPI_Alltoallw: 16 exchanged (1 KiB, 1e+03 ms)\n"
        "aapc: 496 calls exchanged, 32 passed through, counted on all 16 ranks\n"
    )

    def streams(self, lab: str, mpi: str, launcher_options: list[str], *command: str) -> tuple[str, str, float]:
        words = " ".join(command)
        forced = "counted" if "=native" in words else "clock" if "=always" in words else "default"
        way = forced if "exec" in command else "without"
        counts = "AAPC_VERBOSE=2" in command
        self.ran.append({"way": f"{way}, counting" if counts and way != "counted" else way, "program": command[-1]})
        self.dropped += self.DROPS[way] + self.ran[-1]["way"].count("counting")
        # Counting takes its time.
        seconds = self.SECONDS[way] * (2 if counts and way != "counted" else 1)
        out = f"transposes: all-to-all, back pairwise\nseconds: {seconds}\nright: 0 values\n"
        return out, self.COUNTED if counts else "", 20.0

    def setUp(self) -> None:
        super().setUp()
        self.dropped = 1000  # by earlier runs
        known = {"one": lambda mpi, directory: ["./one"], "other": lambda mpi, directory: ["./other"]}
        patches = (("program_streams", self.streams), ("aapc_beside", Path), ("COMMANDS", known), ("DEBIANS", ("other",)))
        patches += (("report_of", lambda told, record: "A schedule should save 2.5 s of the native calls' time.\n"),)
        patches += (("dropped_packets", lambda lab: self.dropped),)
        for name, instead in patches:
            patch = mock.patch.object(programs, name, instead)
            patch.start()
            self.addCleanup(patch.stop)

    def test_ways_take_turns_and_the_first_run_counts_for_nothing(self) -> None:
        part = Programs(["one", "other"], rounds=2)
        of = sweep(networks=[Network("chain-4x4.toml")], parts=[part], mpis=("openmpi", "mpich"))
        self.carry_out(of)
        self.assertEqual({run["program"] for run in self.ran[:20]}, {"./one", "./other"})
        self.assertEqual({run["program"] for run in self.ran[20:]}, {"./one"})
        counting = ["default, counting", "clock, counting", "counted"]
        turns = ["without", *("without", "default", "clock"), *("clock", "default", "without"), *counting]
        self.assertEqual([run["way"] for run in self.ran], turns * 3)
        self.assertEqual(self.plan(of).missing(self.directory), [])
        (row,) = [row for row in self.plan(of).medians.rows if row["asked"] == "counted"][:1]
        self.assertEqual((row["alltoall_seconds"], row["alltoall_share"], row["exchanged"]), ("3", "0.25", "496"))
        dropped = {row["asked"]: row["dropped_packets"] for row in self.plan(of).medians.rows}
        self.assertEqual(dropped, {way: str(packets) for way, packets in self.DROPS.items()})
        table = tables.of_plan(self.plan(of))
        self.assertEqual(row["predicted_seconds"], "2.5")
        self.assertIn("| one | 10 s | 0.25 | 2.5 s | 2.00 s | 8 s; 1.25 (1.25 to 1.25) | 5 s; 2.00 (2.00 to 2.00) | 496, 32 |", table)

    def test_each_round_is_kept_where_a_sweep_says_so(self) -> None:
        part = Programs(["one", "other"], rounds=2, ways=("without", "default"))
        networks = [Network("switch-16.toml", "25Mbit")]
        of = sweep(networks=networks, parts=[part], buffers=["32Ki", "512Ki"], each_round=True)
        self.carry_out(of)
        self.assertEqual(self.plan(of).missing(self.directory), [])
        rows = self.plan(of).medians.rows
        kept = ("program", "buffer_bytes", "round", "asked", "seconds", "dropped_packets", "predicted_seconds")
        self.assertEqual(
            [tuple(row[column] for column in kept) for row in rows[5:10]],
            [
                ("other", "32768", "1", "without", "10", "40", ""),
                ("other", "32768", "2", "without", "10", "40", ""),
                ("other", "32768", "1", "default", "8", "2", ""),
                ("other", "32768", "2", "default", "8", "2", ""),
                ("other", "32768", "1", "counted", "12", "30", "2.5"),
            ],
        )
        self.assertEqual(len(rows), 2 * 2 * 5)
        table = tables.of_plan(self.plan(of))
        self.assertIn("switch-16-25Mbit, cubic, buffers of 512K, openmpi", table)
        self.assertEqual(table.count("| other | 2 | 10 s | 40 | 8 s | 2 | 2.5 s |"), 2)

    def test_what_programs_say_of_themselves(self) -> None:
        self.assertEqual(programs.own_seconds("     PWSCF        :      1.23s CPU      2m 3.50s WALL\n"), 123.5)
        self.assertEqual(programs.own_seconds("Loop time of 0.411506 on 4 procs for 40 steps\n"), 0.411506)
        self.assertEqual(programs.own_seconds("       Time:        2.753        0.688      399.9\n"), 0.688)
        parts = "Begin of MPIFFT section.\nVector size: 64\nComputing:     1.399\nInverse FFT:     1.5\nBegin of StarFFT section.\n"
        single = "Computing:     0.139\nInverse FFT:     0.002\nSuccess=1\n"
        self.assertAlmostEqual(programs.Run(parts + single, "", 600, 0).seconds, 2.899)
        self.assertIsNone(programs.alltoall_seconds("a warning\n"))
        self.assertEqual(programs.predicted_seconds("x\nA schedule should save 120 ms of it\n"), 0.12)
        self.assertEqual(programs.predicted_seconds("aapc made no difference here\n"), 0)

    def test_a_file_of_hpc_challenge_is_read_once(self) -> None:
        (self.directory / "hpccoutf.txt").write_text("PTRANS_time=0.8\nSuccess=1\n", encoding="ascii")
        self.assertIn("Success=1", programs._said_in_a_file(self.directory))
        self.assertEqual(programs._said_in_a_file(self.directory), "")

    def test_the_tokens_of_experts_are_the_same_each_time_and_none_is_lost(self) -> None:
        (file,) = programs._tokens(self.directory)
        text = Path(file).read_text(encoding="utf-8")
        matrix = [[int(count) for count in line.split(",")] for line in text.splitlines()]
        self.assertEqual([sum(row) for row in matrix], [128 * 4096] * 16)
        programs._tokens(self.directory)
        self.assertEqual(Path(file).read_text(encoding="utf-8"), text)
        with self.assertRaises(LabError):
            programs.Run("seconds: 1\nWRONG: 3 values\n", "", 2, 0)


class Order(Case):
    def runs(self, order: str, **choice: object) -> list[jobs.Job]:
        parts = [Bench(sizes("8"), METHODS, repeats=3), Bench(sizes("64"), METHODS, repeats=3)]
        of = sweep(parts=parts, order=order, mpis=("openmpi", "mpich"), congestion_controls=("cubic", "bbr"))
        return self.plan(of, **choice).missing(self.directory)

    def test_parts_come_one_after_the_other(self) -> None:
        self.assertEqual([run.part for run in self.runs("parts")], [0] * 8 + [1] * 8)
        self.assertEqual([run.part for run in self.runs("settings")], [0, 1] * 8)

    def test_the_first_runs_cover_all_pairs(self) -> None:
        runs = self.runs("covering")
        self.assertEqual(len({id(run) for run in runs}), 16)

        def pairs(of: list[jobs.Job]) -> set:
            return {pair for run in of for pair in itertools.combinations(enumerate(run.axes), 2)}

        self.assertEqual(pairs(runs[:6]), pairs(runs))

    def test_what_fits_into_a_time(self) -> None:
        runs = self.runs("parts")
        minutes = sum(run.expected_seconds for run in runs[:5]) / 60 + 0.01
        self.assertEqual([run.title for run in self.runs("parts", within_minutes=minutes)], [run.title for run in runs[:5]])


class Definitions(unittest.TestCase):
    def test_every_sweep_can_be_planned(self) -> None:
        self.assertIn("lattice", definition.names())
        for name in definition.names():
            with self.subTest(name):
                of = definition.load(name)
                titles = [network.title for network in of.networks]
                self.assertEqual(len(titles), len(set(titles)))
                self.assertTrue(set(of.usual) <= set(titles))
                self.assertTrue(of.summary)
                for network in of.networks:
                    self.assertTrue(network.text())
                    self.assertTrue(of.parts_on(network), network.title)
                self.assertIn(of.order, ("settings", "parts", "covering"))
                for part in of.parts:
                    self.assertTrue(set(part.only_on) <= set(titles))
                    self.assertTrue(not isinstance(part, Bench) or part.held_out in ("", *part.methods))
                    self.assertTrue(not isinstance(part, Programs) or set(part.programs) <= set(programs.COMMANDS))

    def test_every_network_is_of_a_sweep(self) -> None:
        used = {network.path for name in definition.names() for network in definition.load(name).networks}
        self.assertEqual({path for path in (LAB / "networks").iterdir()} - used, set())

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_aapc_reads_every_network(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for name in definition.names():
                for network in definition.load(name).networks:
                    file = Path(directory) / "network.toml"
                    file.write_text(network.text())
                    running.seconds_per_byte.cache_clear()
                    self.assertGreater(running.seconds_per_byte(file), 0, f"{name}: {network.title}")


class TheProgram(unittest.TestCase):
    def ask(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        inherited = {name: value for name, value in os.environ.items() if name != program.VARIABLE}
        return subprocess.run(
            [str(LAB / "sweep"), "torus", "--dry-run", *arguments],
            env=inherited | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_none_is_guessed(self) -> None:
        result = self.ask()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("Give --build DIRECTORY", result.stderr)
        self.assertIn("or set AAPC_PROGRAM", result.stderr)

    def test_what_is_named_has_to_be_there(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            result = self.ask("--build", directory)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{directory} has no bin/aapc", result.stderr)
        result = self.ask(AAPC_PROGRAM="/no/such/program")
        self.assertEqual(result.returncode, 2)
        self.assertIn("AAPC_PROGRAM is /no/such/program, and there is no such program", result.stderr)

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_the_build_that_was_told(self) -> None:
        build = Path(os.environ["AAPC_PROGRAM"]).parents[1]
        told = self.ask("--build", str(build), AAPC_PROGRAM="/no/such/program")
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertIn("2 runs, about", told.stdout)
        self.assertEqual(self.ask(AAPC_PROGRAM=os.environ["AAPC_PROGRAM"]).stdout, told.stdout)


if __name__ == "__main__":
    unittest.main()
