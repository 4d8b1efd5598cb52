"""Several servers on one PostgreSQL database behind a balancer, and ways to harm them."""
import os
import signal

from balancer import Balancer
from brume_server import Client, Server


class Node(Server):
    """A server with its name in the database, which it gets anew with each start."""

    name = None

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)


class Cluster:
    """Clients know the balancer alone: `client` is as that of one server."""

    def __init__(self, binary, folder, postgres, url, count=3):
        self.postgres = postgres
        self.balancer, self.names = Balancer(count), set()
        extra = ["--stream-heartbeat", "2"]
        self.nodes = [Node(binary, os.path.join(folder, f"node{number}"), url, extra) for number in range(count)]

    def __enter__(self):
        for index in range(len(self.nodes)):
            self.start(index)
        self.values = self.nodes[0].values
        self.postgres.wait_until_shared(len(self.nodes))
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.kill()
        self.balancer.close()

    @property
    def address(self):
        return self.balancer.address

    def client(self, user, device):
        return Client(self, user, device, timeout=6)

    def start(self, index):
        node = self.nodes[index]
        node.start()
        names = {row["name"] for row in self.postgres.rows("SELECT name FROM nodes")}
        (node.name,) = names - self.names
        self.names |= names
        self.balancer.set_address(index, node.address)

    def add_user(self, name):
        """Answers the user's record name. `client` knows the user from then on."""
        user = self.admin("users", {"name": name})["recordName"]
        self.values[f"BRUME_USER_TOKEN_{name.upper()}"] = self.admin("users/token", {"user": name})["token"]
        return user

    def admin(self, path, body):
        """As the operator of the first server."""
        return self.nodes[0].admin(path, body)

    def owners(self):
        """The name of the server that notifies for each database, by the database's owner ('': the public one)."""
        return {row["owner"]: row["node"] for row in self.postgres.rows(
            "SELECT d.owner, n.owner AS node FROM databases d JOIN notifiers n USING (bucket)")}
