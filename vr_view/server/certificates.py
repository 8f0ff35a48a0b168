"""The certificate of this machine: made here, for its own names, and never shipped."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
from collections.abc import Iterable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from vr_view.server.private_folder import PrivateFolderError, read_private, write_private

DAY = datetime.timedelta(days=1)
VALID = 825 * DAY  # the longest that Apple's devices take
RENEW_BEFORE = 14 * DAY
FILE = "certificate_and_key.pem"


def own_names(further: Iterable[str] = ()) -> list[str]:
    """Return the names and addresses by which this machine may be called, the given ones first."""
    host = socket.gethostname()
    names = [*(name for name in further if name), host, f"{host}.local", "localhost"]
    names += [*network_addresses(), "127.0.0.1", "::1"]
    return list(dict.fromkeys(name for name in names if name))


def network_addresses() -> list[str]:
    """Return this machine's addresses in the network, most likely one first."""
    found = []
    # Connecting a datagram socket sends nothing; the system says from where it would.
    for family, target in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                found.append(str(probe.getsockname()[0]))
        except OSError:
            continue
    try:
        known = socket.getaddrinfo(socket.gethostname(), None)
        found += [str(entry[4][0]).partition("%")[0] for entry in known]
    except OSError:
        pass
    return [item for item in dict.fromkeys(found) if not ipaddress.ip_address(item).is_loopback]


def certificate_file(folder: Path, names: Iterable[str], now: datetime.datetime) -> Path:
    """Return the file with certificate and key for `names`, made anew where it does not fit.

    It is kept while it is valid and holds all names, so that a browser that was told to trust it
    need not be told again. Raises PrivateFolderError where the folder cannot be used.
    """
    file = folder / FILE
    wanted = list(names)
    content = read_private(file)
    if content is None or not _fits(content, wanted, now):
        write_private(file, _made(wanted, now))
    return file


def ssl_context(certificate: Path, key: Path | None = None) -> ssl.SSLContext:
    """Return the server's side of TLS; PrivateFolderError where the files hold no such thing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise PrivateFolderError(
            f"'{certificate}': no certificate with its key ({error})"
        ) from None
    return context


def fingerprint(certificate: Path) -> str:
    """Return the SHA-256 fingerprint as browsers show it, to compare before trusting."""
    loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
    return loaded.fingerprint(hashes.SHA256()).hex(":").upper()


def _fits(content: bytes, names: list[str], now: datetime.datetime) -> bool:
    try:
        certificate = x509.load_pem_x509_certificate(content)
        serialization.load_pem_private_key(content, password=None)
        held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, TypeError, x509.ExtensionNotFound):
        return False
    return set(_general_names(names)) <= set(held) and now + RENEW_BEFORE < _end(certificate)


def _end(certificate: x509.Certificate) -> datetime.datetime:
    try:
        return certificate.not_valid_after_utc
    except AttributeError:  # before cryptography 42: Humble's and Jazzy's
        return certificate.not_valid_after.replace(tzinfo=datetime.timezone.utc)


def _general_names(names: Iterable[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for name in names:
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            found.append(x509.DNSName(name.encode("idna").decode()))
    return found


def _made(names: list[str], now: datetime.datetime) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Truthbed page")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName(_general_names(names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    certificate = builder.sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM) + private
