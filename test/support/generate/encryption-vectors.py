"""Values as kube-apiserver stores them, made without any code of this project.

AES comes from the `cryptography` package; XSalsa20-Poly1305, HKDF-Expand and protobuf are written out below from their
specifications. Prints the JSON of packages/server/src/encryption/vectors.json; every input is fixed, so that two runs
print the same. Usage: python3 test/support/generate/encryption-vectors.py
"""
import base64
import hashlib
import hmac
import json
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PATH = "/registry/secrets/default/database"
PLAIN = b'{"kind":"Secret","apiVersion":"v1","metadata":{"name":"database"},"data":{"password":"aHVudGVyMg=="}}'


def fixed(label, size):
    return hashlib.shake_256(label.encode()).digest(size)


def aescbc(secret, iv):
    pad = 16 - len(PLAIN) % 16
    encryptor = Cipher(algorithms.AES(secret), modes.CBC(iv)).encryptor()
    return iv + encryptor.update(PLAIN + bytes([pad]) * pad) + encryptor.finalize()


def aesgcm(secret, nonce):
    return nonce + AESGCM(secret).encrypt(nonce, PLAIN, PATH.encode())


def rotl(x, n):
    return ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF


def salsa_rounds(state):
    x = list(state)
    def quarter(a, b, c, d):
        x[b] ^= rotl((x[a] + x[d]) & 0xFFFFFFFF, 7)
        x[c] ^= rotl((x[b] + x[a]) & 0xFFFFFFFF, 9)
        x[d] ^= rotl((x[c] + x[b]) & 0xFFFFFFFF, 13)
        x[a] ^= rotl((x[d] + x[c]) & 0xFFFFFFFF, 18)
    for _ in range(10):
        for q in [(0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11)]:
            quarter(*q)
        for q in [(0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)]:
            quarter(*q)
    return x


SIGMA = struct.unpack("<4I", b"expand 32-byte k")


def layout(key, middle):
    k = struct.unpack("<8I", key)
    n = struct.unpack("<4I", middle)
    return [SIGMA[0], *k[:4], SIGMA[1], *n, SIGMA[2], *k[4:], SIGMA[3]]


def hsalsa20(key, nonce16):
    z = salsa_rounds(layout(key, nonce16))
    return struct.pack("<8I", *[z[i] for i in (0, 5, 10, 15, 6, 7, 8, 9)])


def salsa20_block(key, nonce8, counter):
    state = layout(key, nonce8 + struct.pack("<Q", counter))
    z = salsa_rounds(state)
    return struct.pack("<16I", *[(a + b) & 0xFFFFFFFF for a, b in zip(state, z)])


def poly1305(key, message):
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    s = int.from_bytes(key[16:], "little")
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at:at + 16] + b"\x01", "little")) * r % ((1 << 130) - 5)
    return ((total + s) & ((1 << 128) - 1)).to_bytes(16, "little")


def secretbox(secret, nonce, plain=PLAIN):
    key = hsalsa20(secret, nonce[:16])
    blocks = b"".join(salsa20_block(key, nonce[16:], i) for i in range(len(plain) // 64 + 2))
    cipher = bytes(a ^ b for a, b in zip(plain, blocks[32:]))
    return nonce + poly1305(blocks[:32], cipher) + cipher


def field(number, value):
    size, out = len(value), b""
    while size > 127:
        out += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + out + bytes([size]) + value


def kms(seed, key_id, encrypted_seed, info, nonce, annotations):
    """HKDF-Expand of 32 bytes is one block: HMAC(seed, info | 1)."""
    key = hmac.new(seed, info + b"\x01", hashlib.sha256).digest()
    data = info + nonce + AESGCM(key).encrypt(nonce, PLAIN, PATH.encode())
    entries = b"".join(field(4, field(1, k.encode()) + field(2, v)) for k, v in annotations.items())
    return field(1, data) + field(2, key_id.encode()) + field(3, encrypted_seed) + entries + b"\x28\x01"


def kms_plain_key(key, key_id, encrypted_key, nonce):
    """As kube-apiserver 1.27 and 1.28 wrote: the key itself, and no type, for 0 is left out."""
    data = nonce + AESGCM(key).encrypt(nonce, PLAIN, PATH.encode())
    return field(1, data) + field(2, key_id.encode()) + field(3, encrypted_key)


def b64(value):
    return base64.b64encode(value).decode()


def vector(provider, name, secret, body, version="v1"):
    stored = f"k8s:enc:{provider}:{version}:{name}:".encode() + body
    return {"provider": provider, "name": name, "secret": b64(secret), "stored": b64(stored)}


vectors = [
    vector("aescbc", "key1", fixed("cbc16", 16), aescbc(fixed("cbc16", 16), fixed("iv16", 16))),
    vector("aescbc", "key1", fixed("cbc32", 32), aescbc(fixed("cbc32", 32), fixed("iv32", 16))),
    vector("aesgcm", "key-2", fixed("gcm16", 16), aesgcm(fixed("gcm16", 16), fixed("nonce16", 12))),
    vector("aesgcm", "key-2", fixed("gcm24", 24), aesgcm(fixed("gcm24", 24), fixed("nonce24", 12))),
    vector("aesgcm", "key-2", fixed("gcm32", 32), aesgcm(fixed("gcm32", 32), fixed("nonce32", 12))),
    vector("secretbox", "box", fixed("box", 32), secretbox(fixed("box", 32), fixed("boxnonce", 24))),
]
kms_vectors = [
    {
        "name": "vault", "keyID": "key-7", "dekSource": b64(fixed("wrapped", 60)), "secret": b64(fixed("seed", 32)),
        "annotations": {"node.example.dev": b64(b"\x01\x02")},
        "stored": b64(b"k8s:enc:kms:v2:vault:" + kms(
            fixed("seed", 32), "key-7", fixed("wrapped", 60), fixed("info", 32), fixed("kmsnonce", 12),
            {"node.example.dev": b"\x01\x02"})),
    },
    {
        "name": "vault", "keyID": "key-1", "dekSource": b64(fixed("wrapped-key", 60)), "secret": b64(fixed("dek", 32)),
        "annotations": {},
        "stored": b64(b"k8s:enc:kms:v2:vault:" + kms_plain_key(
            fixed("dek", 32), "key-1", fixed("wrapped-key", 60), fixed("deknonce", 12))),
    },
]
print(json.dumps({"path": PATH, "plain": PLAIN.decode(), "keys": vectors, "kms": kms_vectors}, indent=2))
