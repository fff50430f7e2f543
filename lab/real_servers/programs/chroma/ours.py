"""Vectors and their neighbours with the SDK by specwright: `ours.py URL NAME`."""

import sys

from chroma_sdk import ChromaSdkClient
from seen import see


def main(url: str, name: str) -> None:
    with ChromaSdkClient("any", base_url=url) as client:
        client.tenant.create_tenant(name=name)
        see("tenant", client.tenant.get_tenant(name).name)
        client.database.create_database(name, name="lamps")
        see("database", client.database.get_database(name, "lamps").name)
        see("version", client.system.version())
        see("heartbeat", client.system.heartbeat().nanosecond_heartbeat)
        bulbs = client.collection.create_collection(
            name, "lamps", name="bulbs", metadata={"shelf": 3}
        )
        see("collection", bulbs)
        see("collection id", bulbs.id)
        assert bulbs.metadata
        see("shelf", bulbs.metadata["shelf"])
        place = (name, "lamps", str(bulbs.id))
        client.record.collection_add(
            *place,
            ids=["a", "b", "c"],
            embeddings=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
            documents=["red", "green", "blue"],
            metadatas=[{"watt": 3}, {"watt": 5}, {"watt": 7.5}],
        )
        see("count", client.record.collection_count(*place))
        got = client.record.collection_get(*place, ids=["c"], include=["documents", "metadatas"])
        assert got.documents and got.metadatas and got.metadatas[0]
        see("got", got)
        see("document", got.documents[0])
        see("watt", got.metadatas[0]["watt"])
        near = client.record.collection_query(
            *place,
            query_embeddings=[[0.9, 0.1]],
            n_results=2,
            where={"watt": {"$gt": 2}},
            include=["distances", "documents"],
        )
        assert near.distances and near.documents
        see("near", near.ids[0])
        see("distance", near.distances[0][0])
        see("near document", near.documents[0][0])
        client.record.collection_update(*place, ids=["a"], metadatas=[{"watt": 4}])
        client.record.collection_upsert(
            *place, ids=["d"], embeddings=[[0.1, 0.2]], documents=["white"]
        )
        see("ids", client.record.collection_get(*place, include=[]).ids)
        deleted = client.record.collection_delete(*place, ids=["b"])
        see("deleted", deleted.deleted)
        client.collection.update_collection(*place, new_name="old-bulbs")
        collections = list(client.collection.list_collections(name, "lamps"))
        see("collections", client.collection.count_collections(name, "lamps"))
        see("names", [collection.name for collection in collections])
        client.collection.delete_collection(name, "lamps", "old-bulbs")
        client.database.delete_database(name, "lamps")


main(*sys.argv[1:])
