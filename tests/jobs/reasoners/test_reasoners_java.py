"""Every reasoner on Java gives the hierarchy that the Java-free one gives, inside OWL 2 EL."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs import limits
from jobs.java.jars import ClassPath, Jar
from jobs.java.launch import java_command
from jobs.java.runtime import get_runtime
from jobs.reasoners import elk
from jobs.reasoners.answer import read_outcome
from jobs.reasoners.java_profiles import ELK_6, REASONERS
from jobs.workers.contract import StageCall
from jobs.workers.pool import open_worker_pool

if TYPE_CHECKING:
    from jobs.reasoners.taxonomy import Outcome

pytestmark = [pytest.mark.anyio, pytest.mark.java]

BUILT = Path(__file__).parents[3] / "java-stub"
MAINS = {ELK_6: "org.protegejobs.elk.Main"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def ontology(size: int = 120) -> tuple[str, ...]:
    """Chains, equivalences that must be found, and a branch of unsatisfiable classes."""

    def name(number: int) -> str:
        return f"<urn:c{number}>"

    axioms = [
        "SubObjectPropertyOf(<urn:p> <urn:q>)",
        "SubObjectPropertyOf(ObjectPropertyChain(<urn:p> <urn:q>) <urn:q>)",
        f"DisjointClasses({name(1)} {name(2)})",
        f"SubClassOf({name(size)} {name(1)})",
        f"SubClassOf({name(size)} {name(2)})",
        f"SubClassOf({name(size + 1)} ObjectSomeValuesFrom(<urn:p> {name(size)}))",
        f"Declaration(Class({name(size + 2)}))",
    ]
    for number in range(1, size):
        axioms.append(f"SubClassOf({name(number)} {name(number // 2)})")
        axioms.append(f"SubClassOf({name(number)} ObjectSomeValuesFrom(<urn:p> {name(number * 7 % size)}))")
        if number % 5 == 0:
            filler = name(number // 5)
            axioms.append(f"EquivalentClasses(<urn:e{number}> ObjectSomeValuesFrom(<urn:q> {filler}))")
    return tuple(sorted(axioms))


async def answer_of(profile_id: str, axioms: tuple[str, ...], folder: Path) -> Outcome:
    reasoner = REASONERS[profile_id]
    jars = sorted((BUILT / reasoner.class_path / "target" / "classpath").glob("*.jar"))
    if not jars:
        pytest.skip(f"{reasoner.class_path} is not built here: make java")
    class_path = ClassPath(
        name=reasoner.class_path,
        main_class=MAINS.get(profile_id, "org.protegejobs.owlapi.Main"),
        jars=tuple(
            Jar(
                name=each.name,
                sha256=hashlib.sha256(each.read_bytes()).hexdigest(),
                group=None,
                path=str(each),
            )
            for each in jars
        ),
    )
    capture = folder / "capture.ofn"
    capture.write_text("\n".join(["Ontology(", *axioms, ")\n"]))
    call = StageCall(
        operation="reason",
        version=1,
        inputs={
            "capture": str(capture),
            "capture_sha256": hashlib.sha256(capture.read_bytes()).hexdigest(),
            "reasoner": reasoner.as_input(),
            "wants": ["classes"],
        },
        work_dir=folder,
    )
    launch = java_command(get_runtime(), class_path, heap_bytes=256 * limits.MIB)
    async with open_worker_pool() as pool:
        with anyio.fail_after(60):
            result = await pool.execute(call, launch=launch)
    assert isinstance(result.value, dict)
    assert result.value["loaded_axioms"] == len(axioms)
    return read_outcome(result.value, result.artifacts[0].path.read_bytes())


@pytest.mark.parametrize("profile_id", sorted(REASONERS))
async def test_a_reasoner_on_java_agrees_with_the_java_free_one(profile_id: str, tmp_path: Path) -> None:
    axioms = ontology()
    expected = elk.classify(axioms, lambda *_: None)
    answered = await answer_of(profile_id, axioms, tmp_path)
    assert answered.taxonomy == expected.taxonomy
    assert answered.unsatisfiable == expected.unsatisfiable != ()
    assert answered.incomplete_because == ()
