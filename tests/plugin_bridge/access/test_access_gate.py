from __future__ import annotations

import anyio
import pytest

from jobs.errors import AuthorizationRevoked
from plugin_bridge.access.gate import Gate

pytestmark = pytest.mark.anyio


async def hold(gate: Gate, entered: anyio.Event, leave: anyio.Event, done: list[str]) -> None:
    async with gate.shared():
        entered.set()
        await leave.wait()
        done.append("body")


async def test_many_may_hold_it_and_closing_waits_for_them() -> None:
    gate, leave, done = Gate(), anyio.Event(), []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                entered = anyio.Event()
                tasks.start_soon(hold, gate, entered, leave, done)
                await entered.wait()
            gate.close()
            with pytest.raises(AuthorizationRevoked):
                async with gate.shared():
                    done.append("never")
            leave.set()
            assert await gate.drained()
            assert done == ["body"] * 3


async def test_a_body_that_outlives_its_grace_is_cancelled_and_told_why() -> None:
    gate, entered, told = Gate(), anyio.Event(), []

    async def stubborn() -> None:
        try:
            async with gate.shared():
                entered.set()
                await anyio.sleep_forever()
        except AuthorizationRevoked:
            told.append(True)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stubborn)
            await entered.wait()
            gate.close()
            assert await gate.drained(polite_s=0.01)
        assert told == [True]


async def test_a_body_that_cannot_be_cancelled_is_reported_not_awaited_for_ever() -> None:
    gate, entered, leave, told = Gate(), anyio.Event(), anyio.Event(), []

    async def shielded() -> None:
        try:
            async with gate.shared():
                with anyio.CancelScope(shield=True):
                    entered.set()
                    await leave.wait()
                await anyio.lowlevel.checkpoint()
        except AuthorizationRevoked:
            told.append(True)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(shielded)
            await entered.wait()
            gate.close()
            assert not await gate.drained(polite_s=0.01, forced_s=0.01)
            leave.set()
        assert told == [True]


async def test_a_cancelled_holder_lets_go() -> None:
    gate, entered = Gate(), anyio.Event()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hold, gate, entered, anyio.Event(), [])
            await entered.wait()
            tasks.cancel_scope.cancel()
        gate.close()
        assert await gate.drained()


async def test_an_error_inside_passes_through() -> None:
    with pytest.raises(KeyError):
        async with Gate().shared():
            raise KeyError("x")
