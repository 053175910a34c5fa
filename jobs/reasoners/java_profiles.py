"""The profiles that run on Java: which factory, on which class path, with which settings.

Each runs in a process of its own with exactly the jars of its class path. The code digest covers the
reasoner's jars and the libraries beside them, not our adapter, whose version is a setting: so the
identity is the same whichever compiler built the adapter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from jobs.digests import Digest, text_digest
from jobs.java import jars
from jobs.reasoners.identity import ReasonerIdentity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.java.jars import ClassPath
    from jobs.values import Json

OWN_GROUP: Final = "org.protegejobs"
"""The Maven group of our own jars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaReasoner:
    """How one profile is started."""

    profile_id: str
    reasoner_name: str
    version: str
    factory_class: str
    class_path: str
    """Its name in the manifest of the jars."""
    factory_ids: tuple[str, ...] = ()
    """The ids under which Protégé knows the plugin (W 11.5)."""
    buffering_mode: str = "non_buffering"
    adapter: int = 1
    """Version of the adapter; grows when it asks the reasoner differently."""
    settings: Mapping[str, object] = field(default_factory=dict)

    def identity(self) -> ReasonerIdentity:
        """The identity of what is installed here; without a code digest where the jars are not."""
        found = jars.find_classpath(self.class_path)
        return ReasonerIdentity(
            profile_id=self.profile_id,
            reasoner_name=self.reasoner_name,
            version=self.version,
            factory_class=self.factory_class,
            code_digest=None if found is None else _code_digest(found),
            settings={"adapter": self.adapter, **self.settings},
            buffering_mode=self.buffering_mode,
        )

    def as_input(self) -> Json:
        """The member `reasoner` of the worker's inputs."""
        return {
            "factory_class": self.factory_class,
            "buffering": self.buffering_mode,
            "settings": dict(self.settings),
        }


def _code_digest(class_path: ClassPath) -> Digest:
    """Of the jars that are not ours, whatever their order and names."""
    foreign = sorted(each.sha256 for each in class_path.jars if each.group != OWN_GROUP)
    return text_digest(*foreign)


ELK_6: Final = "elk-0.6.0"
ELK_4: Final = "elk-0.4.3"
HERMIT: Final = "hermit-1.4.3.456"

REASONERS: Final = MappingProxyType(
    {
        each.profile_id: each
        for each in (
            JavaReasoner(
                profile_id=ELK_6,
                reasoner_name="ELK",
                version="0.6.0",
                factory_class="org.semanticweb.elk.reasoner.ReasonerFactory",
                class_path="reasoner-elk",
            ),
            JavaReasoner(
                profile_id=ELK_4,
                reasoner_name="ELK",
                version="0.4.3",
                factory_class="org.semanticweb.elk.owlapi.ElkReasonerFactory",
                class_path="reasoner-elk-0.4.3",
                factory_ids=("org.semanticweb.elk.elk.reasoner.factory",),
            ),
            JavaReasoner(
                profile_id=HERMIT,
                reasoner_name="HermiT",
                version="1.4.3.456",
                factory_class="org.semanticweb.HermiT.ReasonerFactory",
                class_path="reasoner-hermit",
                factory_ids=("org.semanticweb.hermit.HermiT.reasoner.factory",),
            ),
        )
    }
)
"""Every reasoner on Java by its profile id."""


def find_for_plugin(factory_id: str) -> JavaReasoner | None:
    """The reasoner behind the id that a Protégé window gives its selected one."""
    return next((each for each in REASONERS.values() if factory_id in each.factory_ids), None)
