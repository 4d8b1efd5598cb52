"""What a disk may hold after the power went: from a record of calls (faults/recorder.c) to folders.

The model is no file system's in particular. What was confirmed by an fsync that began after it is there. Of the rest
anything may be there or not, in any order: writes whole, torn at 512 or 4096 bytes, their length without their bytes, their
bytes without the new length, foreign bytes in their place; names that were made, moved or removed. A file's name is
safe when its folder was synced, not before.
"""
import os
import shutil
import struct

CREATED, WROTE, CUT, SYNC_BEGAN, SYNC_ENDED, RENAMED, UNLINKED, MADE_FOLDER, UNSEEN, NOTE = *range(1, 10), 100
LINE = struct.Struct("<QQQq")
DATABASE = "brume.sqlite"


def note(record, text):
    """Appended by the test, between what the server does."""
    data = text.encode()
    os.write(record, LINE.pack(len(data), NOTE, 0, 0) + data)


def events(path):
    """(kind, file, place, bytes), in the order in which they took effect."""
    with open(path, "rb") as file:
        while head := file.read(LINE.size):
            length, kind, number, place = LINE.unpack(head)
            yield kind, number, place, file.read(length)


class File:
    def __init__(self):
        self.safe, self.pending = bytearray(), []

    def content(self, choice):
        # Under two names, if it was moved and one of the folders has not noticed, it is still one file.
        if id(self) not in choice.contents:
            data = bytearray(self.safe)
            for index, place, what in self.pending:
                choice.write(data, index, place, what)
            choice.contents[id(self)] = choice.sized(data, len(self.safe))
        return choice.contents[id(self)]

    def sync(self, before):
        """What had been done before the sync began is safe."""
        everything = Everything()
        while self.pending and self.pending[0][0] < before:
            everything.write(self.safe, *self.pending.pop(0))


class Folder:
    def __init__(self):
        self.safe, self.live, self.pending = {}, {}, []

    def change(self, index, names):
        self.pending.append((index, names))
        apply_names(self.live, names)

    def names(self, choice):
        names = dict(self.safe)
        for index, change in self.pending:
            if choice.has(index):
                apply_names(names, change)
        return names

    def sync(self, before):
        while self.pending and self.pending[0][0] < before:
            apply_names(self.safe, self.pending.pop(0)[1])


def apply_names(names, change):
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


# MARK: Which part of what was not confirmed is there

class Everything:
    """As if the disk had no cache."""

    def __init__(self):
        self.contents = {}

    def has(self, index):
        return True

    def write(self, data, index, place, what):
        if what is None:
            del data[place:]
            data.extend(bytes(place - len(data)))
        else:
            put(data, place, what)

    def sized(self, data, safe):
        return data


def put(data, place, what):
    if place > len(data):
        data.extend(bytes(place - len(data)))
    data[place:place + len(what)] = what


class Chance(Everything):
    """One disk of all that there may be."""

    KINDS = ["nothing", "some", "beginning", "everything"]

    def __init__(self, random, first, last):
        """`first` and `last`: between which calls the power may seem to have gone, if the disk keeps the order."""
        super().__init__()
        self.random = random
        self.kind = random.choices(self.KINDS, [25, 40, 25, 10])[0]
        self.share, self.until = random.choice([0.1, 0.5, 0.9]), random.randint(first, last)
        self.sector, self.tears = random.choice([512, 4096]), random.random() < 0.5
        self.extends, self.shortens = random.random() < 0.4, random.random() < 0.15
        self.is_foreign = random.random() < 0.3
        self.missing = 0

    def has(self, index):
        there = {"nothing": lambda: False, "everything": lambda: True, "beginning": lambda: index < self.until,
                 "some": lambda: self.random.random() < self.share}[self.kind]()
        self.missing += not there
        return there

    def write(self, data, index, place, what):
        if self.has(index):
            super().write(data, index, place, what)
        elif what is not None and self.tears and self.kind in ("some", "beginning"):
            for start in range(0, len(what), self.sector):
                if self.random.random() < 0.5:
                    put(data, place + start, what[start:start + self.sector])
        elif what is not None and self.extends and place + len(what) > len(data):
            grown = place + len(what) - len(data)
            data.extend(self.random.randbytes(grown) if self.is_foreign else bytes(grown))

    def sized(self, data, safe):
        if self.shortens and len(data) > safe and self.kind != "everything":
            self.missing += 1
            del data[safe:]
        return data


# MARK: A record, followed

class Storage:
    """The state of a folder's files after each call: what is safe, and what is not."""

    def __init__(self, path, syncs_names=True, syncs_log=True):
        """False for controls. `syncs_names`: syncs of folders confirm nothing. `syncs_log`: those of the write-ahead log
        confirm nothing until it is copied into the database, as if SQLite ran with synchronous=NORMAL."""
        self.root, self.path, self.syncs_names, self.syncs_log = Folder(), path, syncs_names, syncs_log
        self.database, self.log = None, None
        self.nodes, self.began, self.index, self.missed = {}, {}, 0, []
        self.shared = set()

    def follow(self, event):
        kind, number, place, data = event
        {CREATED: self._created, WROTE: self._wrote, CUT: self._wrote, SYNC_BEGAN: self._sync_began,
         SYNC_ENDED: self._sync_ended, RENAMED: self._renamed, UNLINKED: self._unlinked, MADE_FOLDER: self._made_folder,
         UNSEEN: self._unseen, NOTE: lambda *_: None}[kind](number, place, data)
        self.index += 1

    def _split(self, data):
        """The folder and the name of a path."""
        parts = os.path.relpath(data.decode(), self.path).split("/")
        folder = self.root
        for part in parts[:-1]:
            folder = folder.live[part]
        return folder, parts[-1]

    def _created(self, number, _, data):
        folder, name = self._split(data)
        self.nodes[number] = File()
        if name.endswith("-shm"):
            self.shared.add(number)
        if name == DATABASE:
            self.database = number
        folder.change(self.index, {name: self.nodes[number]})

    def _made_folder(self, number, _, data):
        if os.path.normpath(data.decode()) == self.path:
            self.nodes[number] = self.root
            return
        folder, name = self._split(data)
        self.nodes[number] = Folder()
        folder.change(self.index, {name: self.nodes[number]})

    def _wrote(self, number, place, data):
        if number == self.database and self.log:
            node, before = self.log
            node.sync(before)
            self.log = None
        # Of what all processes share in memory nothing on the disk means anything.
        if number not in self.shared:
            self.nodes[number].pending.append((self.index, place, data or None))

    def _sync_began(self, number, place, data):
        self.began[place] = self.index

    def _sync_ended(self, number, place, data):
        node = self.root if data.decode() == self.path else self.nodes[number]
        before = self.began.pop(place)
        if not self.syncs_log and data.endswith(b"-wal"):
            self.log = (node, before)
        elif isinstance(node, File) or self.syncs_names:
            node.sync(before)

    def _renamed(self, _, __, data):
        source, target = data.split(b"\n")
        (old, name), (new, other) = self._split(source), self._split(target)
        node = old.live[name]
        if old is new:
            return old.change(self.index, {name: None, other: node})
        new.change(self.index, {other: node})
        old.change(self.index, {name: None})

    def _unlinked(self, _, __, data):
        folder, name = self._split(data)
        folder.change(self.index, {name: None})

    def _unseen(self, _, __, data):
        if not data.endswith(b"-shm"):
            self.missed.append(data.decode())

    def first_pending(self):
        """The oldest call that may be undone."""
        nodes = {id(node): node for node in [*self.nodes.values(), self.root]}
        return min([node.pending[0][0] for node in nodes.values() if node.pending], default=self.index)

    def differences(self):
        """Between the files as they are and what the record says of them: it must lack nothing."""
        return list(self.missed) + self._compare(self.root, self.path)

    def _compare(self, folder, path):
        found = [f"{path}: {sorted(folder.live.keys() ^ set(os.listdir(path)))}"] \
            if folder.live.keys() != set(os.listdir(path)) else []
        for name, node in folder.live.items():
            place = os.path.join(path, name)
            if isinstance(node, Folder):
                found += self._compare(node, place)
            elif not name.endswith("-shm"):
                with open(place, "rb") as file:
                    if file.read() != node.content(Everything()):
                        found.append(f"{place}: not as recorded")
        return found


class Place:
    """Where disks are built: in the folder itself. The database file stays the same file in all of them, as after a real
    loss of power; a copy of it would be taken for an older one that was put back (docs/operating/data-folder.md)."""

    def __init__(self, path, kept):
        """`kept`: a folder beside it, for the database file while it is not there."""
        self.path, self.kept = path, kept
        os.makedirs(kept)

    def keep(self):
        """While the database is there."""
        os.link(os.path.join(self.path, DATABASE), os.path.join(self.kept, DATABASE))

    def build(self, storage, choice):
        shutil.rmtree(self.path)
        self._fill(storage.root, self.path, choice)

    def _fill(self, folder, path, choice):
        os.mkdir(path, 0o700)
        for name, node in folder.names(choice).items():
            place = os.path.join(path, name)
            if isinstance(node, Folder):
                self._fill(node, place, choice)
                continue
            if name == DATABASE:
                os.link(os.path.join(self.kept, DATABASE), place)
            content = node.content(choice) if not name.endswith("-shm") else os.urandom(32768)
            with open(os.open(place, os.O_CREAT | os.O_RDWR, 0o600), "r+b") as file:
                file.write(content)
                file.truncate(len(content))
