"""A wire to PostgreSQL that switches a notifier's fence off, to show what the fence is for.

The statement that names bucket, owner and epoch gets a condition that holds for any owner and epoch, in as many bytes.
Everything else passes as it is; the server's program is the same.
"""
import re
import socket
import threading
import urllib.parse

FENCE = re.compile(rb"UPDATE notifiers SET until = now\(\) \+ interval '\d+ seconds'\s"
                   rb"WHERE bucket = \$1 AND owner = \$2 AND epoch = \$3 RETURNING epoch")
NO_FENCE = (b"UPDATE notifiers SET until = until "
            b"WHERE bucket = $1 AND (owner >= '' OR owner = $2 OR epoch = $3) RETURNING epoch")


class Unfenced:
    def __init__(self, url):
        parts = urllib.parse.urlparse(url)
        self.server, self.switched_off = (parts.hostname, parts.port), 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        address = f"{parts.username}@127.0.0.1:{self.listener.getsockname()[1]}"
        # Unencrypted, or nothing could be read.
        self.url = f"postgres://{address}{parts.path}?sslmode=disable&gssencmode=disable"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.server)
            for source, target, changed in [(client, server, self._without_fence), (server, client, bytes)]:
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._pass, args=(source, target, changed), daemon=True).start()

    def _without_fence(self, data):
        changed, count = FENCE.subn(lambda found: NO_FENCE.ljust(len(found.group())), data)
        self.switched_off += count
        return changed

    def _pass(self, source, target, changed):
        try:
            while data := source.recv(1 << 20):
                target.sendall(changed(data))
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
