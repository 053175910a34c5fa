"""Digests of the published wheels that the reviewed profiles stand for.

One value per published wheel (decision 15), as `code_digest.installed_digest` computes it. The
review fixtures (`tests/jobs/reasoners`) run on whatever wheel a machine has; they were run on
`cp311 linux x86_64`, and the other wheels are the same release of the same sources. A wheel that
is not listed makes its profile unreviewed.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

PYELK_0_2_1: Final[MappingProxyType[str, str]] = MappingProxyType(
    {
        "macos x86_64": "sha256:0b88fdc1cf7ff8389b9019f86e39b9f7d1f7299348dc8d21c86bfb9f2afc1118",
        "macos arm64": "sha256:225e8c841cc8e357b2bdcd4147da815fb842533ebee80c5415a6e5090f3acea2",
        "linux arm64": "sha256:b7459ed58908ed9e3a4b845812b43a5ba62256ff8060bd29d594e858280b4931",
        "linux x86_64": "sha256:56e84eccab57bd86161198d7759851606f8de16a2ab2d36444242fa16fd72054",
        "windows x86_64": "sha256:7c1b15b9df723abc86c36eeb82c37b5726f89f1cf1d61575f05a7d1e241e96c0",
    }
)
PYOWL_CORE_0_2_1: Final[MappingProxyType[str, str]] = MappingProxyType(
    {
        "cp311 linux arm64": "sha256:a7014861b4ff779abcef68e782335ff7c0c608b5df4007e27bd3f3ba768aee39",
        "cp311 linux x86_64": "sha256:b4fd7809e898934ac4b7850f0b5dba067ecb3f503984b5e9af48123b49b85802",
        "cp311 windows x86_64": "sha256:d22363cac2bb28ecc1fa701b09f3eedad967ca0633c76c1eea81c394005ca546",
        "cp312 linux arm64": "sha256:27a813991fa73568ed9a27f1ebe73cebb9a940e5747b1cb18fc3797b273a85ef",
        "cp312 linux x86_64": "sha256:f63f94c7c9fe9a7718af5f073bc8fd1024feecb16c641542756756766c29e022",
        "cp312 windows x86_64": "sha256:ae19d5614a6390618a02c7c788fcc67a2d07f6733c58853fa3b844a2ab2fdf33",
        "cp313 linux arm64": "sha256:89710c88c34720b73c2654d1a63ed5908f40345943474e3d0e465cf4cab7ba29",
        "cp313 linux x86_64": "sha256:27d4d7916af50267f7affd805f64ab81973c6be9eccfa1e6b36e776ea49b493d",
        "cp313 windows x86_64": "sha256:6d9dafc42cfb2b20d85cd7221020a5342ad383ae7587cf252a977664234c0caf",
        "any": "sha256:01ae4ea7c06c6cfea748b621329ad93c088f68e9c6d1ed360de5228ffde838c5",
    }
)
