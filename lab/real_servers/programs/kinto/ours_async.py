"""The program of `ours.py`, asynchronously: `ours_async.py URL NAME`."""

import asyncio
import sys
from base64 import b64encode
from urllib.parse import parse_qs, urlsplit

from kinto_sdk import AsyncKintoSdkClient, NotFoundError, PreconditionFailedError
from seen import see

PASSWORD = "s3cr3t-words"


async def main(url: str, name: str) -> None:
    key = b64encode(f"{name}:{PASSWORD}".encode()).decode()
    async with AsyncKintoSdkClient(base_url=url) as anonymous:
        account = await anonymous.accounts.update_account(name, data={"password": PASSWORD})
        see("account", account.data)
        client = anonymous.with_options(headers={"Authorization": f"Basic {key}"})
        see("version", (await client.utilities.server_info())["project_version"])
        bucket = await client.buckets.update_bucket(
            name, permissions={"read": ["system.Authenticated"]}, if_none_match="*"
        )
        see("bucket", bucket)
        assert bucket.permissions is not None
        see("readers", bucket.permissions.read)
        await client.buckets.patch_bucket(name, data={"room": "hall"})
        changed = (await client.buckets.get_bucket(name)).data
        assert changed is not None
        see("room", (changed.model_extra or {})["room"])
        await client.collections.update_collection(name, "lamps", data={"cache_expires": 60})
        collections = await client.collections.get_collections(name)
        see("expiry", collections.data[0].cache_expires)
        made = [
            await client.records.create_record(name, "lamps", data={"title": title, "watt": watt})
            for title, watt in (("desk", 3), ("hall", 7.5), ("bulb", 9))
        ]
        see("record", made[0])
        record = str((made[0].data or {})["id"])
        stored = await client.records.get_record(name, "lamps", record)
        see("watt", (stored.data or {})["watt"])
        await client.records.patch_record(
            name, "lamps", record, data={"watt": 4}, response_behavior="light"
        )
        try:
            await client.records.update_record(
                name, "lamps", record, data={"title": "late"}, if_match='"1"'
            )
        except PreconditionFailedError as error:
            see("outdated", error.status)
        try:
            await client.records.get_record(name, "lamps", "none")
        except NotFoundError as error:
            see("missing", getattr(error.body, "errno", None))
        records = await client.records.get_records(name, "lamps", sort=["-watt"])
        see("titles", [item["title"] for item in records.data])
        page = await client.with_raw_response(
            client.records.get_records, name, "lamps", sort=["watt"], limit=2
        )
        see("first page", [item["title"] for item in page.value.data])
        token = parse_qs(urlsplit(page.headers["next-page"]).query)["_token"][0]
        rest = await client.records.get_records(name, "lamps", sort=["watt"], limit=2, token=token)
        see("second page", [item["title"] for item in rest.data])
        group = await client.groups.update_group(
            name, "team", data={"members": [f"account:{name}"]}
        )
        assert group.data is not None
        see("members", group.data.members)
        batch = await client.batch.batch(
            defaults={"method": "POST", "path": f"/buckets/{name}/collections/lamps/records"},
            requests=[
                {
                    "path": f"/v1/buckets/{name}/collections/lamps/records",
                    "body": {"data": {"title": title}},
                }
                for title in ("a", "b")
            ],
        )
        see("statuses", [item.status for item in batch.responses])
        gone = await client.records.delete_records(name, "lamps")
        see("deleted", [item["id"] for item in gone.data])
        await client.buckets.delete_bucket(name)
        await client.accounts.delete_account(name)


asyncio.run(main(*sys.argv[1:]))
