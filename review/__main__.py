"""`python -m review [PROFILE …]`: run the fixtures and write the records that the product reads.

Every profile whose reasoner is installed is reviewed; the others keep the record they have. A profile that
gives a wrong answer while it claims a whole one ends the command with 1, and so does a record that would
change under `--check`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import anyio

from jobs.errors import JavaUnavailable
from jobs.reasoners import profiles, reviews
from jobs.workers.pool import open_worker_pool
from review.reviewing import Reviewed, review


def main() -> int:
    """Review the named profiles, or all."""
    parser = argparse.ArgumentParser(prog="review", description="Review reasoner profiles by fixtures.")
    parser.add_argument("profiles", nargs="*", metavar="PROFILE", help="default: every installed one")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where a record would change"
    )
    options = parser.parse_args()
    names = options.profiles or list(profiles.exact_names())
    is_good = True
    for name in names:
        try:
            done = anyio.run(_review, name)
        except JavaUnavailable as error:
            print(f"{name}: not reviewed: {error.message}")
            continue
        is_good &= _settle(done, is_check=options.check)
    return 0 if is_good else 1


async def _review(name: str) -> Reviewed:
    with tempfile.TemporaryDirectory(prefix="protege-jobs-review-") as folder:
        async with open_worker_pool() as pool:
            return await review(pool, profiles.resolve(name), Path(folder))


def _settle(done: Reviewed, *, is_check: bool) -> bool:
    """Print what was found and keep or compare the record; whether all is well."""
    record = done.review
    supported = sum(row.status.value == "supported" for row in record.capabilities.values())
    print(f"{record.profile_id}: {supported} capabilities supported, OWL profile {record.owl_profile}")
    for each in done.judgements:
        print(f"  {each.finding.value:9} {each.fixture}: {each.reason}")
    for problem in done.problems:
        print(f"  PROBLEM   {problem}")
    text = json.dumps(record.as_json(), indent=1, ensure_ascii=False) + "\n"
    path = reviews.FOLDER / f"{record.profile_id}.json"
    if is_check:
        is_same = path.is_file() and path.read_text(encoding="utf-8") == text
        if not is_same:
            print(f"  PROBLEM   the record {path.name} is not what this review finds")
        return is_same and not done.problems
    if not done.problems:
        path.write_text(text, encoding="utf-8")
    return not done.problems


if __name__ == "__main__":
    sys.exit(main())
