"""An add-on with requests-oauthlib: see ../other-languages.system.test.ts."""

import json
import os
import sys

from oauthlib.oauth2 import OAuth2Error
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

issuer, client_id, secret = (os.environ[name] for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET"))
endpoint = issuer + "/oauth/token"
proof = {
    "none": {"include_client_id": True},
    "client_secret_basic": {"auth": HTTPBasicAuth(client_id, secret)},
    "client_secret_post": {"include_client_id": True, "client_secret": secret},
}[os.environ["AUTHENTICATION"]]
refreshing = {
    "none": {"client_id": client_id},
    "client_secret_basic": {"auth": HTTPBasicAuth(client_id, secret)},
    "client_secret_post": {"client_id": client_id, "client_secret": secret},
}[os.environ["AUTHENTICATION"]]

session = OAuth2Session(
    client_id, redirect_uri=os.environ["REDIRECT_URI"], scope=["openid", "profile", "email", "profiles:read"], pkce="S256"
)
selected = {"organization": os.environ["ORGANIZATION_ID"]} if "ORGANIZATION_ID" in os.environ else {}
link, _state = session.authorization_url(issuer + "/oauth/authorize", **selected)
print(link, flush=True)
token = session.fetch_token(endpoint, authorization_response=sys.stdin.readline().strip(), **proof)
person = session.get(issuer + "/oauth/userinfo").json()
refreshed = session.refresh_token(endpoint, **refreshing)
try:
    session.fetch_token(endpoint, code="mkt_code_unknown", **proof)
    refusal = None
except OAuth2Error as error:
    refusal = error.error
print(
    json.dumps(
        {
            "scope": " ".join(token["scope"]),
            "subject": person["sub"],
            "email": person["email"],
            "token": token["access_token"],
            "refreshed": refreshed["access_token"],
            "revoked": False,
            "refusal": refusal,
            "organization": {"token": token.get("organization_id"), "userinfo": person.get("organization_id")},
        }
    )
)
