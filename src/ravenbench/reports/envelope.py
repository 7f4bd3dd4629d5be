"""Reads and writes a JSON file that can be signed: bytes in a DSSE envelope, with ed25519 signatures by the package
``cryptography``.

In: ``sealed``: the bytes (a statement), and the path of a private key in PEM form or None; ``opened``: the path of a
file; ``verified``: an ``Envelope`` and paths of public keys in PEM form.
Out: ``sealed`` an ``Envelope``, ``opened`` the same from a file, ``Envelope.content`` the bytes, ``verified`` the
public keys (64 hexadecimal digits each) that signed them. FormatError for a damaged file or signature, InputError for
a wrong key, MissingPart without the package.

DSSE (Dead Simple Signing Envelope) signs the type of the content together with its bytes. Raven writes the public key
as ``keyid``: a changed digit is found without another file, and a public key from its owner shows who signed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ravenbench.errors import FormatError, InputError, MissingPart, install
from ravenbench.files import location, read_ordinary

CONTENT_TYPE: Literal["application/vnd.in-toto+json"] = "application/vnd.in-toto+json"
MOST_BYTES = 2**28
MOST_SIGNATURES = 100
EXPECTED = "a file that raven export --result wrote"


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A signature in base64 form, and the public key that it belongs to (64 hexadecimal digits)."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A DSSE envelope; ``payload`` is the content in base64 form."""

    payload_type: Literal["application/vnd.in-toto+json"]
    payload: str
    signatures: Annotated[tuple[Signature, ...], msgspec.Meta(max_length=MOST_SIGNATURES)]

    @property
    def content(self) -> bytes:
        """The bytes in the envelope; ValueError if they are not in base64 form."""
        return _bytes_of(self.payload)

    @property
    def signed(self) -> bytes:
        """What is signed: the type of the content and the content, each after its length."""
        kind = CONTENT_TYPE.encode()
        content = self.content
        return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(content), content)


def sealed(content: bytes, key: Path | None = None) -> Envelope:
    """Return bytes in an envelope, signed if a key is given. InputError if the key cannot sign."""
    unsigned = Envelope(CONTENT_TYPE, base64.b64encode(content).decode(), ())
    if key is None:
        return unsigned
    private = _key(key, "private")
    signature = base64.b64encode(private.sign(unsigned.signed)).decode()
    name = private.public_key().public_bytes_raw().hex()
    return msgspec.structs.replace(unsigned, signatures=(Signature(name, signature),))


def opened(path: str | Path) -> Envelope:
    """Return the envelope of a file; FormatError if it is none."""
    place = location(path)
    if place.stat().st_size > MOST_BYTES:
        raise FormatError("this file is too large for a result", file=path, expected=EXPECTED)
    try:
        envelope = msgspec.convert(parsed(read_ordinary(place)), Envelope)
        _ = envelope.content
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a result file ({error})", file=path, expected=EXPECTED) from None
    return envelope


def parsed(content: bytes, **numbers: Any) -> Any:
    """Return a JSON value; ValueError if an object has a name twice: readers would differ in which value counts."""
    return json.loads(content, object_pairs_hook=_once, **numbers)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("an object has a name twice")
    return value


def verified(envelope: Envelope, path: str | Path, public: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return the public keys of all signatures, each of which is valid, first those of ``public``; none for a file that
    is not signed.

    Raises
    ------
    FormatError
        If a signature is not the one of its key and of this content.
    InputError
        If ``public`` has keys, and the owner of none of them signed it.
    """
    expected = [_key(one, "public").public_bytes_raw().hex() for one in public]
    signed = envelope.signed
    for signature in envelope.signatures:
        try:
            _check(signature, signed)
        except ValueError as error:
            raise FormatError(
                f"the signature is not valid ({error})",
                file=path,
                fix="get the file again from the person who wrote it",
            ) from None
    signers = [signature.keyid for signature in envelope.signatures]
    if expected and not {*expected} & {*signers}:
        raise InputError(
            "this file is not signed with the given key",
            file=path,
            found=", ".join(signers) or "no signature",
            expected=" or ".join(expected),
        )
    return tuple(sorted(signers, key=lambda signer: signer not in expected))


def _check(signature: Signature, signed: bytes) -> None:
    """ValueError if a signature is not the one of its key, or is written in another form than Raven's."""
    _, ed25519 = _cryptography()
    from cryptography.exceptions import InvalidSignature

    key = bytes.fromhex(signature.keyid)
    if key.hex() != signature.keyid:
        raise ValueError("its key is written in another form")
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(key).verify(_bytes_of(signature.sig), signed)
    except InvalidSignature:
        raise ValueError("the file was changed after it was signed") from None


def _bytes_of(text: str) -> bytes:
    """Bytes from base64 in the only form in which they are written, so that every changed character is found."""
    content = base64.b64decode(text, validate=True)
    if base64.b64encode(content).decode() != text:
        raise ValueError("not base64 as it is written")
    return content


def _key(path: Path, kind: Literal["private", "public"]) -> Any:
    """An ed25519 key from its file; InputError if the file is another one."""
    serialization, ed25519 = _cryptography()
    content = read_ordinary(path)
    try:
        key = getattr(serialization, f"load_pem_{kind}_key")(content, None)
    except Exception:  # the package has its own errors for each kind of damage
        key = None
    if not isinstance(key, getattr(ed25519, f"Ed25519{kind.title()}Key")):
        raise InputError(
            f"not a {kind} key of ed25519",
            file=path,
            expected="a key in PEM form, without a passphrase",
            fix="make one: openssl genpkey -algorithm ed25519; openssl pkey -pubout",
        )
    return key


def _cryptography() -> tuple[Any, Any]:
    """The modules of keys' forms and of ed25519."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingPart(
            "signatures need cryptography, which is not installed", fix=install("signed")
        ) from None
    return serialization, ed25519


def described(signers: tuple[str, ...]) -> str:
    """Return a sentence on who signed a file."""
    if not signers:
        return "not signed: anybody can have written this file"
    return f"signed, and the signature is valid; its public key is {', '.join(signers)}"
