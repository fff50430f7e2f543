"""Vectors and their neighbours with openapi-python-client: `peer.py URL NAME`."""

import sys

from chroma_peer import AuthenticatedClient, models
from chroma_peer.api.collection import (
    count_collections,
    create_collection,
    delete_collection,
    list_collections,
    update_collection,
)
from chroma_peer.api.database import create_database, delete_database, get_database
from chroma_peer.api.record import (
    collection_add,
    collection_count,
    collection_delete,
    collection_get,
    collection_query,
    collection_update,
    collection_upsert,
)
from chroma_peer.api.system import heartbeat, version
from chroma_peer.api.tenant import create_tenant, get_tenant
from seen import see


def main(url: str, name: str) -> None:
    with AuthenticatedClient(url, "any") as client:
        create_tenant.sync(client=client, body=models.CreateTenantPayload(name=name))
        tenant = get_tenant.sync(name, client=client)
        assert isinstance(tenant, models.GetTenantResponse)
        see("tenant", tenant.name)
        create_database.sync(name, client=client, body=models.CreateDatabasePayload(name="lamps"))
        database = get_database.sync(name, "lamps", client=client)
        assert isinstance(database, models.Database)
        see("database", database.name)
        see("version", version.sync(client=client))
        beat = heartbeat.sync(client=client)
        assert isinstance(beat, models.HeartbeatResponse)
        see("heartbeat", beat.nanosecond_heartbeat)
        metadata = models.HashMap.from_dict({"shelf": 3})
        bulbs = create_collection.sync(
            name,
            "lamps",
            client=client,
            body=models.CreateCollectionPayload(name="bulbs", metadata=metadata),
        )
        assert not isinstance(bulbs, models.ErrorResponse) and bulbs is not None
        see("collection", bulbs)
        see("collection id", bulbs.id)
        assert bulbs.metadata
        see("shelf", bulbs.metadata["shelf"])
        place = (name, "lamps", str(bulbs.id))
        collection_add.sync(
            *place,
            client=client,
            body=models.AddCollectionRecordsPayload(
                ids=["a", "b", "c"],
                embeddings=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
                documents=["red", "green", "blue"],
                metadatas=[models.HashMap.from_dict({"watt": watt}) for watt in (3, 5, 7.5)],
            ),
        )
        see("count", collection_count.sync(*place, client=client))
        got = collection_get.sync(
            *place,
            client=client,
            body=models.GetRequestPayload(
                ids=["c"], include=[models.Include.DOCUMENTS, models.Include.METADATAS]
            ),
        )
        assert isinstance(got, models.GetResponse) and got.documents and got.metadatas
        see("got", got)
        see("document", got.documents[0])
        assert got.metadatas[0]
        see("watt", got.metadatas[0]["watt"])
        near = collection_query.sync(
            *place,
            client=client,
            body=models.QueryRequestPayload(
                query_embeddings=[[0.9, 0.1]],
                n_results=2,
                where={"watt": {"$gt": 2}},
                include=[models.Include.DISTANCES, models.Include.DOCUMENTS],
            ),
        )
        assert isinstance(near, models.QueryResponse) and near.distances and near.documents
        see("near", near.ids[0])
        see("distance", near.distances[0][0])
        see("near document", near.documents[0][0])
        collection_update.sync(
            *place,
            client=client,
            body=models.UpdateCollectionRecordsPayload(
                ids=["a"], metadatas=[models.HashMap.from_dict({"watt": 4})]
            ),
        )
        collection_upsert.sync(
            *place,
            client=client,
            body=models.UpsertCollectionRecordsPayload(
                ids=["d"], embeddings=[[0.1, 0.2]], documents=["white"]
            ),
        )
        everything = collection_get.sync(
            *place, client=client, body=models.GetRequestPayload(include=[])
        )
        assert isinstance(everything, models.GetResponse)
        see("ids", everything.ids)
        deleted = collection_delete.sync(
            *place, client=client, body=models.DeleteCollectionRecordsPayload(ids=["b"])
        )
        assert isinstance(deleted, models.DeleteCollectionRecordsResponse)
        see("deleted", deleted.deleted)
        update_collection.sync(
            *place, client=client, body=models.UpdateCollectionPayload(new_name="old-bulbs")
        )
        collections = list_collections.sync(name, "lamps", client=client)
        assert isinstance(collections, list)
        see("collections", count_collections.sync(name, "lamps", client=client))
        see("names", [collection.name for collection in collections])
        delete_collection.sync(name, "lamps", "old-bulbs", client=client)
        delete_database.sync(name, "lamps", client=client)


main(*sys.argv[1:])
