"""Buckets, collections and records with Kinto's own client: `product.py URL NAME`."""

import sys

from kinto_http import Client, KintoException
from seen import see

PASSWORD = "s3cr3t-words"


def main(url: str, name: str) -> None:
    account, _ = Client(server_url=url).session.request(
        "put", f"/accounts/{name}", data={"password": PASSWORD}
    )
    see("account", account["data"])
    client = Client(server_url=url, auth=(name, PASSWORD), bucket=name, collection="lamps")
    see("version", client.server_info()["project_version"])
    bucket = client.create_bucket(id=name, permissions={"read": ["system.Authenticated"]})
    see("bucket", bucket)
    see("readers", bucket["permissions"]["read"])
    client.patch_bucket(id=name, data={"room": "hall"})
    see("room", client.get_bucket(id=name)["data"]["room"])
    client.create_collection(id="lamps", data={"cache_expires": 60})
    collections = client.get_collections()
    see("expiry", collections[0]["cache_expires"])
    made = [
        client.create_record(data={"title": title, "watt": watt})
        for title, watt in (("desk", 3), ("hall", 7.5), ("bulb", 9))
    ]
    record = made[0]["data"]
    see("put record", made[0])
    see("watt", client.get_record(id=record["id"])["data"]["watt"])
    client.patch_record(id=record["id"], data={"watt": 4})
    try:
        client.update_record(id=record["id"], data={"title": "late"}, if_match=1)
    except KintoException as error:
        see("outdated", error.response.status_code)
    try:
        client.get_record(id="none")
    except KintoException as error:
        see("missing", error.response.json()["errno"])
    see("titles", [item["title"] for item in client.get_records(_sort="-watt")])
    # The link to the second page leads past the proxy that records what was sent.
    first, _ = client.get_paginated_records(_sort="watt", _limit=2)
    see("first page", [item["title"] for item in first["data"]])
    group = client.create_group(id="team", data={"members": [f"account:{name}"]})
    see("members", group["data"]["members"])
    with client.batch() as batch:
        for title in ("a", "b"):
            batch.create_record(data={"title": title})
    see("batched", [item["data"]["title"] for item in batch.results()])
    see("deleted", [item["id"] for item in client.delete_records()])
    client.delete_bucket(id=name)
    Client(server_url=url, auth=(name, PASSWORD)).session.request("delete", f"/accounts/{name}")


main(*sys.argv[1:])
