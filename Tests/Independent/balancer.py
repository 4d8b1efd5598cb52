"""A TCP balancer on loopback: round robin over the servers that say that they are ready.

A server that does not say so, or not soon enough, gets no connection, and those that it has are cut. So clients
notice a server that sleeps as they notice a dead one.
"""
import asyncio
import threading

# Seconds between two questions, and until an answer counts as none.
INTERVAL, TIMEOUT = 0.25, 2


class Target:
    """A server, as the balancer sees it."""

    def __init__(self):
        self.address, self.is_ready, self.open = None, False, set()

    def cut(self):
        for writer in self.open:
            writer.transport.abort()


class Balancer:
    def __init__(self, count):
        self.targets = [Target() for _ in range(count)]
        self.turn, self.listener, self.has_ended = 0, None, False
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.address = self._wait(self._start())

    def set_address(self, index, address):
        """Where a server listens now; None: nowhere."""
        self.targets[index].address = address

    def close(self):
        self._wait(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)

    def _wait(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def _start(self):
        self.listener = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=200)
        self.checks = [asyncio.ensure_future(self._check(target)) for target in self.targets]
        return self.listener.sockets[0].getsockname()

    async def _end(self):
        self.listener.close()
        self.has_ended = True
        # Python 3.11 may lose a cancellation that meets the end of what `wait_for` waits for: not for ever.
        await asyncio.wait(self.checks, timeout=TIMEOUT + 1)
        for target in self.targets:
            target.cut()

    async def _check(self, target):
        while not self.has_ended:
            try:
                target.is_ready = await asyncio.wait_for(self._asks_ready(target.address), TIMEOUT)
            except (OSError, EOFError, asyncio.TimeoutError):
                target.is_ready = False
            if not target.is_ready:
                target.cut()
            await asyncio.sleep(INTERVAL)

    async def _asks_ready(self, address):
        if address is None:
            return False
        reader, writer = await asyncio.open_connection(*address)
        try:
            writer.write(b"GET /_brume/health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return b" 200 " in await reader.readline()
        finally:
            writer.transport.abort()

    async def _serve(self, reader, writer):
        for _ in self.targets:
            self.turn += 1
            target = self.targets[self.turn % len(self.targets)]
            if not target.is_ready:
                continue
            try:
                behind = await asyncio.wait_for(asyncio.open_connection(*target.address), TIMEOUT)
            except (OSError, asyncio.TimeoutError):
                continue
            return await self._connect(target, (reader, writer), behind)
        writer.transport.abort()

    async def _connect(self, target, client, server):
        target.open |= {client[1], server[1]}
        try:
            await asyncio.wait({asyncio.ensure_future(self._pass(client[0], server[1])),
                                asyncio.ensure_future(self._pass(server[0], client[1]))})
        finally:
            target.open -= {client[1], server[1]}

    async def _pass(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.close()
        except OSError:
            writer.transport.abort()
