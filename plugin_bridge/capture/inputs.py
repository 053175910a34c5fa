"""Everything one request depends on, captured once, with the identity that it gives (W 5, 6).

Order (W 6.2): policy and admission come before; then lock and mapping digests (A), the secondary
file, the ontology, and the digests again (B). A and B must agree, and the secondary file must
still be the one that was copied, so that all inputs are of one moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from jobs import changed_inputs, limits
from jobs.digests import json_digest
from jobs.errors import InputChanged, PolicyUnavailable
from jobs.values import InputIdentity, ModelRevision, SecondaryInput
from plugin_bridge.capture.assets import AssetDigests, read_assets
from plugin_bridge.files import ProjectRoot, copy_confined, digest_confined, look

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.values import Json, WorkspaceId
    from plugin_bridge.capture.ahead import DiffAhead, StartAhead
    from plugin_bridge.capture.shelf import CaptureHold, CaptureShelf
    from plugin_bridge.files import CapturedFile
    from plugin_bridge.host.values import OntologyCapture
    from plugin_bridge.policy import ResolvedPolicy

RIGHT_DOCUMENT: Final = "right_document"


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedInputs:
    """The frozen inputs of one request. `release` gives back what they hold."""

    policy: ResolvedPolicy
    assets: AssetDigests
    hold: CaptureHold
    right: CapturedFile | None
    identity: InputIdentity
    request: Json
    ahead: DiffAhead | None
    """The stage of a diff that was started before its job."""

    @property
    def ontology(self) -> OntologyCapture:
        """The captured ontology and closure."""
        return self.hold.ontology

    def release(self) -> None:
        """Let the shared capture go and delete the private copy of the secondary file."""
        self.hold.release()
        if self.ahead is not None:
            self.ahead.release()
        if self.right is not None:
            self.right.private_path.unlink(missing_ok=True)


class InputCapturer:
    """Captures requests for one window.

    Args:
        folder: private; copies of secondary files lie there.
        named_files: files outside the project that the window's person named (`WindowSettings`).
    """

    def __init__(
        self, shelf: CaptureShelf, workspace_id: WorkspaceId, folder: Path, named_files: frozenset[Path]
    ) -> None:
        self._shelf = shelf
        self._workspace_id = workspace_id
        self._folder = folder
        self._named_files = named_files

    async def capture(
        self,
        request: Json,
        policy: ResolvedPolicy,
        reasoner_digest: Digest | None,
        start_ahead: StartAhead | None = None,
    ) -> CapturedInputs:
        """Capture a checked request (every key of its type present).

        Args:
            start_ahead: starts a diff as soon as its right document is copied.
        Raises:
            SecondaryInputInvalid, DiffNetworkUnsupported, InvalidRequest: the right document.
            InputChanged: an input moved while it was captured (`job_input_changed`).
            InvalidOntology, SnapshotTooLarge, HostUnavailable: the window's ontology.
            PolicyUnavailable: the project folder cannot be opened (`job_policy_unavailable`).
        """
        assets = await self._read_assets(policy)
        right = await self._copy_right(request, policy)
        ahead: DiffAhead | None = None
        try:
            if right is not None and start_ahead is not None:
                ahead = start_ahead(right, request["limit"])
            hold = await self._shelf.hold(None if ahead is None else ahead.watch)
            try:
                await self._check_unmoved(request, policy, assets, right)
                return CapturedInputs(
                    policy=policy,
                    assets=assets,
                    hold=hold,
                    right=right,
                    identity=self._identity(hold.ontology, policy, assets, right, reasoner_digest, request),
                    request=request,
                    ahead=ahead,
                )
            except BaseException:
                hold.release()
                raise
        except BaseException:
            if ahead is not None:
                ahead.release()
            if right is not None:
                right.private_path.unlink(missing_ok=True)
            raise

    async def changed(self, captured: CapturedInputs, policy: ResolvedPolicy) -> tuple[str, ...]:
        """Names of the identity fields that the live inputs no longer match (W 8.6).

        Compared by fingerprint: an edit that was taken back has changed nothing. The reasoner is not
        among them: its profile is fixed for the life of a document window.
        """
        assets = await self._read_assets(policy)
        right = await self._right_now(captured, policy)
        hold = await self._shelf.hold()
        try:
            now = self._identity(
                hold.ontology, policy, assets, right, captured.identity.reasoner_digest, captured.request
            )
            return changed_fields(captured.identity, now)
        finally:
            hold.release()

    async def _right_now(self, captured: CapturedInputs, policy: ResolvedPolicy) -> CapturedFile | None:
        """The captured right document with the digest that its file has now; nothing is copied.

        Raises: as `capture`, of the right document.
        """
        right, reference = captured.right, str(captured.request.get(RIGHT_DOCUMENT))
        if right is None:
            return None

        def read() -> CapturedFile:
            folder = self._root_of(reference, policy)
            if look(folder / right.relative_path) == (right.identity,):
                return right
            with _opened(folder) as root:
                digest = digest_confined(root, reference, max_bytes=limits.SECONDARY_FILE_BYTES)
            return replace(right, byte_digest=digest)

        return await to_thread.run_sync(read)

    async def _check_unmoved(
        self, request: Json, policy: ResolvedPolicy, assets: AssetDigests, right: CapturedFile | None
    ) -> None:
        if await self._read_assets(policy) != assets:
            raise InputChanged("The import lock or mapping file changed during the capture. Try again.")
        if right is None:
            return
        path = self._root_of(str(request[RIGHT_DOCUMENT]), policy) / right.relative_path
        if await to_thread.run_sync(look, path) != (right.identity,):
            raise InputChanged(f"{right.relative_path} changed during the capture. Try again.")

    async def _read_assets(self, policy: ResolvedPolicy) -> AssetDigests:
        def read() -> AssetDigests:
            with _opened(policy.project_root) as root:
                return read_assets(policy, root)

        return await to_thread.run_sync(read)

    async def _copy_right(self, request: Json, policy: ResolvedPolicy) -> CapturedFile | None:
        reference = request.get(RIGHT_DOCUMENT)
        if not isinstance(reference, str):
            return None

        def copy() -> CapturedFile:
            with _opened(self._root_of(reference, policy)) as root:
                return copy_confined(
                    root, reference, into_dir=self._folder, max_bytes=limits.SECONDARY_FILE_BYTES
                )

        return await to_thread.run_sync(copy)

    def _root_of(self, reference: str, policy: ResolvedPolicy) -> Path:
        """The project; for a file that the person named, its own folder."""
        for named in self._named_files:
            if reference == str(named) and not named.is_relative_to(policy.project_root):
                return named.parent
        return policy.project_root

    def _identity(
        self,
        ontology: OntologyCapture,
        policy: ResolvedPolicy,
        assets: AssetDigests,
        right: CapturedFile | None,
        reasoner_digest: Digest | None,
        request: Json,
    ) -> InputIdentity:
        return InputIdentity(
            model_revision=ModelRevision(
                workspace_id=self._workspace_id,
                session_revision=ontology.revision,
                semantic_fingerprint=ontology.semantic_fingerprint,
                document_fingerprint=ontology.document_fingerprint,
            ),
            closure_fingerprint=ontology.closure_fingerprint,
            import_lock_digest=assets.import_lock,
            mapping_revision=assets.mapping,
            policy_digest=policy.digest,
            preflight_asset_digest=None,  # validation assets are inputs of project QC alone
            reasoner_digest=reasoner_digest,
            normalized_request_digest=json_digest(_normalized(request, policy, right)),
            secondary_inputs=() if right is None else (_secondary(right),),
        )


def _opened(folder: Path) -> ProjectRoot:
    try:
        return ProjectRoot.open(folder)
    except OSError:
        raise PolicyUnavailable("The project folder cannot be opened just now.") from None


def changed_fields(before: InputIdentity, after: InputIdentity) -> tuple[str, ...]:
    """Names of the parts that differ, as a conflict names them, but for the session revision."""
    return tuple(name for name in changed_inputs(before, after) if name != "model_revision.session_revision")


def _secondary(right: CapturedFile) -> SecondaryInput:
    return SecondaryInput(
        name=RIGHT_DOCUMENT,
        byte_digest=right.byte_digest,
        provenance_digest=right.provenance_digest,
    )


def _normalized(request: Json, policy: ResolvedPolicy, right: CapturedFile | None) -> Json:
    """The request with paths in their one project-relative spelling (W 5.3)."""
    normalized = dict(request)
    if normalized.get("policy_path") is not None:
        normalized["policy_path"] = policy.relative_policy_path
    if right is not None:
        normalized[RIGHT_DOCUMENT] = right.relative_path
    return normalized
