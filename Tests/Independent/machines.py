"""Every machine of `make soak`: the long form of what `make test` runs in short. To add one, add a line to `MACHINES`."""
import dataclasses

DEBUG, RELEASE = ".build/debug", ".build/release"


@dataclasses.dataclass(frozen=True)
class Machine:
    """One command. `{n}` in it stands for how many rounds there are to be."""

    name: str
    # What it tries, in a few words for the table.
    what: str
    command: str
    # What a round is, how many there are if nobody says for how long, and at least.
    unit: str
    usual: int
    least: int
    # Seconds that a round takes on a machine of two cores, and those that come once. They only share out the time.
    each: float
    once: float = 5
    # More of the environment; values may hold `{n}`.
    environment: dict = dataclasses.field(default_factory=dict)

    @property
    def seconds(self):
        return self.once + self.usual * self.each


def independent(name, what, arguments, unit, usual, least, each, once=5, build=DEBUG, script=None):
    """A program of this folder."""
    command = f"python3 Tests/Independent/{script or name}.py --brume {build}/brume {arguments}"
    return Machine(name, what, command, unit, usual, least, each, once)


MACHINES = [
    Machine("simulation", "servers and devices in one thread, by a seed",
            ".build/optimised/brume-simulate --first {first} --seeds {n} --jobs {cores}", "seeds", 100_000, 1000, 0.02),
    independent("kill9", "the server killed in the middle of saves", "--rounds {n}", "kills", 500, 60, 1),
    independent("syscalls", "a call to the system fails, once or for good", "--trials {n} --seed {first}",
                "faults", 400, 8, 1.2),
    independent("powerloss", "disks that a loss of power leaves", "--disks {n} --seed {first}", "disks", 3000, 300, 0.25, 15),
    independent("powerloss-control", "the same with synchronous=NORMAL must lose", "--disks {n} --control normal --seed {first}",
                "disks", 60, 60, 0.2, 10, script="powerloss"),
    independent("history", "devices behind a network that cuts and repeats", "--runs {n} --steps 150 --kills 5 --seed {first}",
                "runs", 20, 2, 25),
    independent("history-postgres", "the same on PostgreSQL, which dies every second time",
                "--runs {n} --steps 150 --kills 6 --postgres --seed {first}", "runs", 20, 2, 25, 10, script="history"),
    independent("copied-back-control", "a generation that stays when a folder is copied back must be found",
                "--control --seed {first}", "runs", 1, 1, 10, script="copied_back"),
    independent("history-control", "a proxy that lies must be found out", "--control --seed {first}", "runs", 1, 1, 15,
                script="history"),
    independent("clocks", "the clock set back and forth; PostgreSQL's is right", "--postgres", "runs", 1, 1, 20, 20),
    independent("descriptors", "no file descriptors, and then they come back", "--rounds {n}", "rounds", 20, 1, 8),
    independent("descriptors-control", "no file descriptors, and nobody gives them back", "--control", "runs", 1, 1, 30,
                script="descriptors"),
    independent("little-memory", "256 MB and many callers; passwords guessed", "--seconds {n}", "seconds", 60, 10, 2, 30,
                RELEASE, "little_memory"),
    independent("slow-devices", "devices that never read", "--seconds {n} --judge", "seconds", 300, 30, 1, 30, RELEASE,
                "slow_devices"),
    independent("away", "a million saves while devices are away", "--saves {n}", "saves", 1_000_000, 20_000, 0.0006, 30, RELEASE),
    independent("rot", "bits of the data folder flip", "--flips {n}", "flips", 500, 12, 0.5, 20),
    Machine("fuzz", "bytes that trap, hang or grow, with coverage: each target for its time",
            "scripts/fuzz --seconds {n} --jobs {cores}", "seconds", 600, 5, 12, 200),
    Machine("every-device", "pushes while the server crashes", "swift test --skip-build --filter EveryDeviceTests",
            "pushes", 100_000, 2000, 0.006, 20, {"BRUME_SOAK_PUSHES": "{n}"}),
    Machine("postgres-crashes", "PostgreSQL dies under a server", "swift test --skip-build --filter PostgresCrashTests",
            "deaths", 50, 2, 5, 20, {"BRUME_SOAK_POSTGRES": "{n}"}),
    Machine("postgres-order", "eight writers and two servers keep one order", "swift test --skip-build "
            "--filter PostgresOrderTests", "seconds", 60, 10, 1.5, 30, {"BRUME_SOAK_ORDER": "{n}"}),
    Machine("postgres-queries", "queries on PostgreSQL beside plain evaluation", "swift test --skip-build "
            "--filter PostgresAgreementTests", "rounds", 1000, 50, 0.3, 20, {"BRUME_SOAK_AGREEMENT": "{n}"}),
    Machine("citus", "parts of the database move between its workers", "swift test --skip-build --filter CitusTests",
            "runs", 1, 1, 120, 20, {"BRUME_SOAK_CITUS": "{n}"}),
    independent("deaths", "three servers killed and put to sleep", "--rounds {n} --restarts 5 --takeover 12",
                "deaths", 100, 2, 15, 60),
    independent("deaths-control", "the same without the fence must fail", "--rounds {n} --restarts 0 --control",
                "deaths", 12, 4, 6, 10, script="deaths"),
    independent("failover", "a primary dies, its standby takes over", "--rounds {n}", "failovers", 20, 1, 20, 30),
    # Times are judged on what is shipped.
    independent("hostile", "a hostile user beside a normal one", "--seconds {n} --seed {first} --judge",
                "seconds", 3600, 30, 1.3, 10, RELEASE),
]
