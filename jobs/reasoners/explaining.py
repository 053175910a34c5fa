"""Which reasoner explains what another one found.

Explanations are found by a reasoner on Java that is asked again and again (`docs/worker-protocol.md`,
operation `explain`). A profile whose worker offers that explains its own answers. For the others stands
one that gives the same answers where they overlap: inside OWL EL all of them agree, and HermiT is
complete outside of it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.java.runtime import get_runtime
from jobs.reasoners import profiles
from jobs.reasoners.java_profiles import ELK_4, ELK_6, HERMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.reasoners.identity import ReasonerProfile

_STAND_INS: Final[Mapping[str, tuple[str, ...]]] = {
    # Its worker speaks ELK's own language, without the OWL API that the search for explanations needs.
    ELK_6: (HERMIT, ELK_4),
    profiles.PYELK: (HERMIT,),
    profiles.STRUCTURAL: (HERMIT,),
}
"""The best first."""


def explainer_of(profile: ReasonerProfile) -> ReasonerProfile:
    """The profile that explains in place of the selected one, often itself. May block: it reads jars.

    Whether it may run is for `profiles.require_classification` to say.

    Raises:
        JavaUnavailable: there is no Java runtime (`java_unavailable`).
    """
    get_runtime()
    if profile.profile_id not in _STAND_INS:
        return profile
    choices = [profiles.resolve(each) for each in _STAND_INS[profile.profile_id]]
    return next((each for each in choices if each.is_reviewed), choices[0])
