"""A program with the client that openapi-python-client made: see ../other-languages.system.test.ts."""

import json
import os

import httpx
from grantbook import AuthenticatedClient, Client
from grantbook.api.add_ons_of_an_organization import show_activation
from grantbook.api.lists import list_profiles
from grantbook.models import Activation, Problem, ProfilePage

organization_id, client_id = (os.environ[name] for name in ("ORGANIZATION_ID", "CLIENT_ID"))


def client(token=None):
    settings = {"base_url": os.environ["BASE_URL"], "raise_on_unexpected_status": True}
    # Its own default is 5 s.
    settings["timeout"] = httpx.Timeout(60)
    return Client(**settings) if token is None else AuthenticatedClient(**settings, token=os.environ[token])


def expected(answer, model):
    if not isinstance(answer, model):
        raise TypeError(f"not a {model.__name__}: {answer}")
    return answer


def kind(answer):
    return expected(answer, Problem).type_.split("/")[-1]


addon, administrator = client("ACCESS_TOKEN"), client("ADMINISTRATOR_TOKEN")
page = expected(list_profiles.sync(client=addon), ProfilePage)
activation = expected(show_activation.sync(organization_id, client_id, client=administrator), Activation)
print(
    json.dumps(
        {
            "names": [profile.name for profile in page.items],
            "total": page.field_pagination.total_items,
            "activation": {
                "status": activation.status.value,
                "epoch": activation.epoch,
                "activated_by": activation.activated_by,
            },
            "refusals": [
                kind(list_profiles.sync(client=client())),
                kind(list_profiles.sync(client=addon, per_page=0)),
                kind(show_activation.sync(organization_id, "01JD0000000000000000000000", client=administrator)),
            ],
        }
    )
)
