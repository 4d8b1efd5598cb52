"""An authority of a test's own, and certificates by it, as files."""
import datetime
import ipaddress
import os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """Signs certificates for localhost. `root` is the file that clients trust."""

    def __init__(self, folder):
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.certificate = self._sign(_name("A test's authority"), _name("A test's authority"),
                                      self.key.public_key(), 30, is_authority=True)
        self.root = self._write("root.pem", self.certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, name, days=30, password=None):
        """The paths of a certificate, which is good for so many days, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(_name(name), self.certificate.subject, key.public_key(), days)
        secrecy = (serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption())
        return (self._write(f"{name}.pem", certificate.public_bytes(serialization.Encoding.PEM)),
                self._write(f"{name}.key", key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secrecy)))

    def _sign(self, subject, issuer, key, days, is_authority=False):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
                   .serial_number(x509.random_serial_number())
                   .not_valid_before(end - datetime.timedelta(days=60)).not_valid_after(end)
                   .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
                   .add_extension(x509.SubjectAlternativeName(names), critical=False))
        return builder.sign(self.key, hashes.SHA256())

    def _write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o600)
        return path
