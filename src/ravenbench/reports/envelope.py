"""Reads and writes a JSON file that can be signed: bytes in a DSSE envelope, with ed25519 signatures by the package
``cryptography``.

In: ``sealed``: the bytes (a statement), and the path of a private key in PEM form or None; ``opened``: the path of a
file; ``verified``: an ``Envelope`` and the path of a public key in PEM form or None.
Out: ``sealed`` an ``Envelope``, ``opened`` the same from a file, ``Envelope.content`` the bytes, ``verified`` the
public keys (64 hexadecimal digits each) that signed them. FormatError for a damaged file or signature, InputError for
a wrong key, MissingPart without the package.

DSSE (Dead Simple Signing Envelope) signs the type of the content together with its bytes. Raven writes the public key
as ``keyid``: a changed digit is found without another file, and a public key from its owner shows who signed.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec

from ravenbench.errors import FormatError, InputError, MissingPart, install
from ravenbench.files import location, read_ordinary

CONTENT_TYPE = "application/vnd.in-toto+json"
MOST_BYTES = 2**28
KEY_BYTES = 32
EXPECTED = "a file that raven export --result wrote"
AGAIN = "get the file again from the person who wrote it"


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A signature in base64 form, and the public key that it belongs to (64 hexadecimal digits)."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A DSSE envelope; ``payload`` is the content in base64 form."""

    payload_type: str
    payload: str
    signatures: tuple[Signature, ...]

    @property
    def content(self) -> bytes:
        """The bytes in the envelope; ValueError if they are not in base64 form."""
        return _bytes_of(self.payload)

    @property
    def signed(self) -> bytes:
        """What is signed: the type of the content and the content, each after its length."""
        kind = self.payload_type.encode()
        content = self.content
        return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(content), content)


def sealed(content: bytes, key: Path | None = None) -> Envelope:
    """Return bytes in an envelope, signed if a key is given. InputError if the key is no ed25519 key."""
    unsigned = Envelope(CONTENT_TYPE, base64.b64encode(content).decode(), ())
    if key is None:
        return unsigned
    private = _private_key(key)
    signature = base64.b64encode(private.sign(unsigned.signed)).decode()
    name = private.public_key().public_bytes_raw().hex()
    return msgspec.structs.replace(unsigned, signatures=(Signature(name, signature),))


def opened(path: str | Path) -> Envelope:
    """Return the envelope of a file; FormatError if it is none."""
    place = location(path)
    if place.stat().st_size > MOST_BYTES:
        raise FormatError("this file is too large for a result", file=path, expected=EXPECTED)
    try:
        envelope = msgspec.json.decode(read_ordinary(place), type=Envelope)
        _ = envelope.content
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a result file ({error})", file=path, expected=EXPECTED) from None
    if envelope.payload_type != CONTENT_TYPE:
        raise FormatError(
            "unknown type of content",
            file=path,
            found=envelope.payload_type,
            expected=CONTENT_TYPE,
        )
    return envelope


def verified(envelope: Envelope, path: str | Path, public: Path | None = None) -> tuple[str, ...]:
    """Return the public keys of all signatures, each of which is valid; none for a file that is not signed.

    Raises
    ------
    FormatError
        If a signature is not the one of its key and of this content.
    InputError
        If the owner of the ``public`` key did not sign it.
    """
    expected = None if public is None else _public_key(public)
    for signature in envelope.signatures:
        _check(signature, envelope.signed, path)
    signers = tuple(signature.keyid for signature in envelope.signatures)
    if expected is not None and expected not in signers:
        raise InputError(
            "this file is not signed with the given key",
            file=path,
            found=f"signed with {', '.join(signers)}" if signers else "no signature",
            expected=f"signed with {expected}",
            fix="give the public key of the person who wrote the file",
        )
    return signers


def _check(signature: Signature, signed: bytes, path: str | Path) -> None:
    ed25519, _, _ = _cryptography()
    from cryptography.exceptions import InvalidSignature

    try:
        key_bytes = bytes.fromhex(signature.keyid)
        if key_bytes.hex() != signature.keyid or len(key_bytes) != KEY_BYTES:
            raise ValueError("its key is not written as 64 hexadecimal digits")
        key = ed25519.Ed25519PublicKey.from_public_bytes(key_bytes)
        key.verify(_bytes_of(signature.sig), signed)
    except InvalidSignature:
        raise FormatError(
            "the signature is not valid: the file was changed after it was signed",
            file=path,
            fix=AGAIN,
        ) from None
    except ValueError as error:
        raise FormatError(f"the signature is damaged ({error})", file=path, fix=AGAIN) from None


def _bytes_of(text: str) -> bytes:
    """Bytes from base64 in the only form in which they are written, so that every changed character is found."""
    content = base64.b64decode(text, validate=True)
    if base64.b64encode(content).decode() != text:
        raise ValueError("not base64 as it is written")
    return content


def _private_key(path: Path) -> Any:
    ed25519, serialization, unsupported = _cryptography()
    try:
        key = serialization.load_pem_private_key(read_ordinary(path), password=None)
    except (ValueError, TypeError, unsupported):
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError(
            "not a private key that Raven can sign with",
            file=path,
            expected="an ed25519 key in PEM form, without a passphrase",
            fix=f"make one: openssl genpkey -algorithm ed25519 -out {path.name}",
        )
    return key


def _public_key(path: Path) -> str:
    ed25519, serialization, unsupported = _cryptography()
    try:
        key = serialization.load_pem_public_key(read_ordinary(path))
    except (ValueError, unsupported):
        key = None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise InputError(
            "not a public key of a signature",
            file=path,
            expected="an ed25519 key in PEM form",
            fix=f"make it from the private key: openssl pkey -in KEY.pem -pubout -out {path.name}",
        )
    name: str = key.public_bytes_raw().hex()
    return name


def _cryptography() -> tuple[Any, Any, Any]:
    """The modules of ed25519 and of keys' forms, and the error for unknown algorithms."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingPart(
            f"signatures need cryptography, which is not installed ({error.name})",
            fix=install("signed"),
        ) from error
    return ed25519, serialization, UnsupportedAlgorithm


def described(signers: tuple[str, ...], *, is_confirmed: bool) -> str:
    """Return a sentence on who signed a file."""
    if not signers:
        return "not signed: anybody can have written this file"
    question = "" if is_confirmed else "; --public FILE.pem shows whether it is the writer's"
    return f"the signature is valid, and its key is {', '.join(signers)}{question}"
