"""An add-on with Authlib's Flask integration: see ../other-languages.system.test.ts."""

import json
import os
import sys
from urllib.parse import urlsplit

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask

app = Flask(__name__)
app.secret_key = os.urandom(32)
oauth = OAuth(app)
addon = oauth.register(
    "grantbook",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"] or None,
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={
        "scope": "openid profile email profiles:read",
        "code_challenge_method": "S256",
        "token_endpoint_auth_method": os.environ["AUTHENTICATION"],
    },
)


@app.get("/begin")
def begin():
    selected = {"organization": os.environ["ORGANIZATION_ID"]} if "ORGANIZATION_ID" in os.environ else {}
    return addon.authorize_redirect(os.environ["REDIRECT_URI"], **selected)


@app.get("/back")
def back():
    token = addon.authorize_access_token()
    person = addon.userinfo(token=token)
    with addon._get_oauth_client(**addon.load_server_metadata()) as session:
        endpoint = session.metadata["token_endpoint"]
        introspected = {}
        if os.environ["CLIENT_SECRET"]:
            introspected = session.introspect_token(
                session.metadata["introspection_endpoint"], token=token["access_token"]
            ).json()
        refreshed = session.refresh_token(endpoint, refresh_token=token["refresh_token"])
        session.revoke_token(session.metadata["revocation_endpoint"], token=refreshed["refresh_token"])
        try:
            session.fetch_token(
                endpoint,
                code="mkt_code_unknown",
                redirect_uri=os.environ["REDIRECT_URI"],
                code_verifier="x" * 43,
            )
            refusal = None
        except OAuthError as error:
            refusal = error.error
    return {
        "scope": token["scope"],
        "subject": token["userinfo"]["sub"],  # of the id_token, which Authlib has verified
        "email": person["email"],
        "token": token["access_token"],
        "refreshed": refreshed["access_token"],
        "revoked": True,
        "refusal": refusal,
        "organization": {
            "token": token.get("organization_id"),
            "id_token": token["userinfo"].get("organization_id"),
            "userinfo": person.get("organization_id"),
            "introspection": introspected.get("organization_id"),
        },
    }


browser = app.test_client()
print(browser.get("/begin").headers["location"], flush=True)
answer = browser.get("/back?" + urlsplit(sys.stdin.readline().strip()).query)
print(json.dumps(answer.get_json()) if answer.status_code == 200 else answer.get_data(as_text=True))
