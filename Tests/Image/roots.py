"""Stand-ins for the images that a Dockerfile begins with: bare Debian roots from debootstrap. For an
image of a Swift toolchain, this machine's toolchain is mounted into one, and the places from which
this machine's SwiftPM takes packages.
"""
import os
import pathlib
import re
import shutil
import subprocess

from dockerfile import Refused

MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian").rstrip("/")
# What a Swift toolchain asks of a Debian system to compile and link, without the development files of
# libraries: those are for the Dockerfile to install.
TOOLCHAIN_NEEDS = (
    "binutils ca-certificates g++ git libc6-dev libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2 "
    "pkg-config tzdata").split()
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, **options)


class Roots:
    """Makes roots under a folder, whose mount namespace must be ours alone."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def make(self, image, name):
        """A root for an image, and the environment that commands begin with there."""
        root = self.folder / f"root-{name}"
        if found := re.fullmatch(r"debian:([a-z]+)(-slim)?", image):
            self.debian(found[1], root)
            return root, {"PATH": PATH}
        if found := re.fullmatch(r"swift:([0-9.]+)-([a-z]+)", image):
            self.debian(found[2], root)
            return root, {"PATH": self.swift(root, found[1]) + ":" + PATH}
        raise Refused(f"Tests/Image has no stand-in for the image {image}; see roots.py")

    def debian(self, release, root):
        bare = self.folder / f"debian-{release}"
        if not bare.exists():
            say(f"debootstrap: a bare Debian {release}")
            run("debootstrap", "--variant=minbase", release, bare, MIRROR, stdout=subprocess.DEVNULL)
            (bare / "etc/apt/sources.list").write_text(
                f"deb {MIRROR} {release} main\ndeb {MIRROR} {release}-updates main\n"
                f"deb {MIRROR}-security {release}-security main\n")
        run("cp", "-a", "--reflink=auto", bare, root)
        mount_system(root)
        # As Docker does: the network's names are those of the machine.
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", root / "etc" / name)

    def swift(self, root, version):
        """Puts the toolchain in; answers where its programs are."""
        found = shutil.which("swift")
        if not found:
            raise Refused("this machine has no Swift toolchain to stand in for the image's")
        programs = pathlib.Path(found).resolve().parent
        if programs.parent == pathlib.Path("/usr"):
            raise Refused("the toolchain lies in /usr; the test needs one in a folder of its own")
        printed = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        has = re.search(r"Swift version ([0-9.]+)", printed)
        say(f"the image has Swift {version}; this machine's {has[1] if has else '?'} stands in for it")
        bind(programs.parent, root, read_only=True)
        run("chroot", root, "apt-get", "update", "-qq", env=quiet())
        run("chroot", root, "apt-get", "install", "-qq", "-y", "--no-install-recommends",
            *TOOLCHAIN_NEEDS, env=quiet(), stdout=subprocess.DEVNULL)
        package_sources(root)
        return str(programs)


def package_sources(root):
    """Where this machine's git and SwiftPM find packages holds in the root too, without its network."""
    printed = subprocess.run(
        ["git", "config", "--null", "--get-regexp", r"^url\..*\.insteadof$"], cwd="/",
        capture_output=True, text=True).stdout
    for entry in filter(None, printed.split("\0")):
        key, value = entry.split("\n", 1)
        place = key.removeprefix("url.").removesuffix(".insteadof")
        if os.path.isabs(place) and os.path.isdir(place):
            bind(pathlib.Path(place), root, read_only=True)
        run("git", "config", "--file", root / "etc/gitconfig", "--add", key, value)
    run("git", "config", "--file", root / "etc/gitconfig", "--add", "safe.directory", "*")
    mirrors = pathlib.Path.home() / ".swiftpm/configuration"
    if mirrors.is_dir() and any(mirrors.iterdir()):
        shutil.copytree(mirrors, root / "root/.swiftpm/configuration")


def mount_system(root):
    run("mount", "-t", "proc", "proc", root / "proc")
    run("mount", "--rbind", "/dev", root / "dev")


def bind(place, root, read_only=False):
    """The same path inside of the root as outside. Several may ask for one."""
    inside = pathlib.Path(str(root) + str(place))
    if os.path.ismount(inside):
        return
    inside.mkdir(parents=True, exist_ok=True)
    run("mount", "--bind", place, inside)
    if read_only:
        run("mount", "-o", "remount,bind,ro", inside)


def quiet():
    """The environment of our own installations in a root."""
    return {"PATH": PATH, "DEBIAN_FRONTEND": "noninteractive", **proxies()}


def proxies():
    """A network's proxy is the only thing of the outside that steps get."""
    return {name: text for name, text in os.environ.items() if name.lower().endswith("_proxy")}


def say(text):
    print(f"-- {text}", flush=True)
