"""Digests of the published wheels that the reviewed profiles stand for.

One value per published wheel (decision 15), as `code_digest.installed_digest` computes it. The
review fixtures (`tests/jobs/reasoners`) run on whatever wheel a machine has; they were run on
`cp311 linux x86_64`, and the other wheels are the same release of the same sources: their Python
files are equal byte for byte. A wheel that is not listed makes its profile unreviewed.
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
        "cp311 macos arm64": "sha256:4ecddce76ed77be82468c39fee42ee6a12ee092cb7e1e3d1214faa5d5f838105",
        "cp311 macos x86_64": "sha256:9ac8188fadd8bb3ecdf40e111859bdfcc39e0b1a975bcf99b98dc4c90f5a6f1a",
        "cp311 windows x86_64": "sha256:d22363cac2bb28ecc1fa701b09f3eedad967ca0633c76c1eea81c394005ca546",
        "cp312 linux arm64": "sha256:27a813991fa73568ed9a27f1ebe73cebb9a940e5747b1cb18fc3797b273a85ef",
        "cp312 linux x86_64": "sha256:f63f94c7c9fe9a7718af5f073bc8fd1024feecb16c641542756756766c29e022",
        "cp312 macos arm64": "sha256:bcb21671f888d14f06c5f93c3b309ad76d404f2510832e0e51410b99abdddf0c",
        "cp312 macos x86_64": "sha256:fe6f6a68f9fe8e84563da88f9a7bc1b554f7dc20663cedcf5fb105fef486ac0d",
        "cp312 windows x86_64": "sha256:ae19d5614a6390618a02c7c788fcc67a2d07f6733c58853fa3b844a2ab2fdf33",
        "cp313 linux arm64": "sha256:89710c88c34720b73c2654d1a63ed5908f40345943474e3d0e465cf4cab7ba29",
        "cp313 linux x86_64": "sha256:27d4d7916af50267f7affd805f64ab81973c6be9eccfa1e6b36e776ea49b493d",
        "cp313 macos arm64": "sha256:7a39ccaf1a0a8aa5fca82636920e498e148496026f191fbecedd38e6fccbb05e",
        "cp313 macos x86_64": "sha256:41fde5ca91094a7651fc99571693b2f3caf3cef402824c9f9e6ac331e8417023",
        "cp313 windows x86_64": "sha256:6d9dafc42cfb2b20d85cd7221020a5342ad383ae7587cf252a977664234c0caf",
        "cp314 linux arm64": "sha256:e4ea6cd46ad56ad22ba4f68c9baa21166064de741ebac26062649c09def2ea80",
        "cp314 linux x86_64": "sha256:f1f5ea05934cd3c5141a9ab11eb857330a0c50cc58f9a8900ed2768b3bb9ebed",
        "cp314 macos arm64": "sha256:d5174df14df532f2b4795751b4762e693190fe267e41fa74c273cdb78a52ecdc",
        "cp314 macos x86_64": "sha256:ef6bf9daf17cf9db2760186d9f5a9ffc7e13875315edf14303a235a8d40baf88",
        "cp314 windows x86_64": "sha256:ff6e2eb4a9a8ce34ace2a5f64e00b615ec46da78a3475c68d028df237af78d16",
        "any": "sha256:01ae4ea7c06c6cfea748b621329ad93c088f68e9c6d1ed360de5228ffde838c5",
    }
)
