# A controller as people write it with the kubernetes client for Python: watch, finalizers, status, and the library's
# leader election. Usage: python3 keeper.py <identity> <kubeconfig>
import sys
import threading
import time

import urllib3
from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import leaderelection, electionconfig
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

identity, kubeconfig = sys.argv[1:3]
FINALIZER = "keepers.example.dev/extinguish"
NAMESPACE = "default"
KIND = ("keepers.example.dev", "v1", NAMESPACE, "lamps")

config.load_kube_config(config_file=kubeconfig)
custom = client.CustomObjectsApi()
core = client.CoreV1Api()
leading = threading.Event()
failures = (ApiException, urllib3.exceptions.HTTPError)


def reconcile(name):
    try:
        lamp = custom.get_namespaced_custom_object(*KIND, name)
    except ApiException as error:
        if error.status == 404:
            return
        raise
    metadata = lamp["metadata"]
    finalizers = metadata.get("finalizers", [])
    if "deletionTimestamp" in metadata:
        if FINALIZER not in finalizers:
            return
        try:
            core.delete_namespaced_config_map("wick-" + name, NAMESPACE)
        except ApiException as error:
            if error.status != 404:
                raise
        metadata["finalizers"] = [each for each in finalizers if each != FINALIZER]
        custom.replace_namespaced_custom_object(*KIND, name, lamp)
        return
    # Before anything is made, so that it will be taken away for certain.
    if FINALIZER not in finalizers:
        metadata["finalizers"] = finalizers + [FINALIZER]
        lamp = custom.replace_namespaced_custom_object(*KIND, name, lamp)
    try:
        core.create_namespaced_config_map(
            NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="wick-" + name))
        )
    except ApiException as error:
        if error.status != 409:
            raise
    shines = lamp.get("spec", {}).get("colour", "white")
    if lamp.get("status", {}).get("shines") == shines:
        return
    lamp["status"] = {"shines": shines, "keeper": identity}
    custom.replace_namespaced_custom_object_status(*KIND, name, lamp)


def follow():
    """Lists, then watches from there; from the start again after every failure, and after a while anyway."""
    while True:
        leading.wait()
        try:
            listed = custom.list_namespaced_custom_object(*KIND)
            for lamp in listed["items"]:
                reconcile(lamp["metadata"]["name"])
            version = listed["metadata"]["resourceVersion"]
            events = watch.Watch().stream(
                custom.list_namespaced_custom_object, *KIND, resource_version=version, timeout_seconds=5
            )
            for event in events:
                if not leading.is_set():
                    break
                reconcile(event["object"]["metadata"]["name"])
        except failures as error:
            print(identity, "tries again after", type(error).__name__, file=sys.stderr)
            time.sleep(0.25)


threading.Thread(target=follow, daemon=True).start()
while True:
    lock = ConfigMapLock("keeper", NAMESPACE, identity)
    election = electionconfig.Config(
        lock,
        lease_duration=4,
        renew_deadline=3,
        retry_period=1,
        onstarted_leading=leading.set,
        onstopped_leading=leading.clear,
    )
    try:
        leaderelection.LeaderElection(election).run()
    except failures as error:
        # The library lets a server that is not there end the election.
        print(identity, "is no candidate for now:", type(error).__name__, file=sys.stderr)
    leading.clear()
    time.sleep(0.25)
