import pytest
from kubernetes import client


@pytest.fixture
def lamps(api, namespace):
    """Lamps of the test's namespace."""
    custom = client.CustomObjectsApi(api)
    kind = ("light.example.dev", "v1", namespace, "lamps")

    class Lamps:
        def create(self, brightness):
            lamp = {
                "apiVersion": "light.example.dev/v1",
                "kind": "Lamp",
                "metadata": {"name": "desk"},
                "spec": {"colour": "red", "brightness": brightness},
            }
            return custom.create_namespaced_custom_object(*kind, lamp)

        def names(self):
            found = custom.list_namespaced_custom_object(*kind)["items"]
            return [lamp["metadata"]["name"] for lamp in found]

    return Lamps()


def test_a_lamp_is_stored(lamps):
    lamps.create(brightness=80)
    assert lamps.names() == ["desk"]


def test_a_lamp_cannot_be_brighter_than_100(lamps):
    with pytest.raises(client.ApiException, match="spec.brightness.*less than or equal to 100"):
        lamps.create(brightness=101)
    assert lamps.names() == []
