"""One API server for all tests of the run; each test gets a namespace of its own."""

import json
import os
import pathlib
import shlex
import subprocess
import uuid

import pytest
from kubernetes import client, config

CRDS = pathlib.Path(__file__).parents[2] / "lamps" / "crd-v1.yaml"


@pytest.fixture(scope="session")
def api():
    command = shlex.split(os.environ.get("STRATA", "strata")) + ["testenv", "--crds", str(CRDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        try:
            # Empty if it could not start; the reason is then on standard error.
            ready = json.loads(server.stdout.readline())
            yield config.new_client_from_config(config_file=ready["kubeconfig"])
        finally:
            server.terminate()


@pytest.fixture
def namespace(api):
    name = f"test-{uuid.uuid4()}"
    core = client.CoreV1Api(api)
    core.create_namespace({"metadata": {"name": name}})
    yield name
    core.delete_namespace(name)
