"""Vectors and their neighbours with the SDK of Chroma: `product.py URL NAME`."""

import sys
from urllib.parse import urlsplit

import chromadb
from chromadb.config import Settings
from seen import see


def main(url: str, name: str) -> None:
    address = urlsplit(url)
    assert address.hostname and address.port
    quiet = Settings(anonymized_telemetry=False)
    admin = chromadb.AdminClient(
        Settings(
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=address.hostname,
            chroma_server_http_port=address.port,
        )
    )
    admin.create_tenant(name)
    see("tenant", admin.get_tenant(name)["name"])
    admin.create_database("lamps", tenant=name)
    see("database", admin.get_database("lamps", tenant=name)["name"])
    client = chromadb.HttpClient(
        host=address.hostname, port=address.port, tenant=name, database="lamps", settings=quiet
    )
    see("version", client.get_version())
    see("heartbeat", client.heartbeat())
    bulbs = client.create_collection("bulbs", metadata={"shelf": 3}, embedding_function=None)
    see("collection id", str(bulbs.id))
    see("shelf", bulbs.metadata["shelf"])
    bulbs.add(
        ids=["a", "b", "c"],
        embeddings=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
        documents=["red", "green", "blue"],
        metadatas=[{"watt": 3}, {"watt": 5}, {"watt": 7.5}],
    )
    see("count", bulbs.count())
    got = bulbs.get(ids=["c"], include=["documents", "metadatas"])
    assert got["documents"] and got["metadatas"]
    see("document", got["documents"][0])
    see("watt", got["metadatas"][0]["watt"])
    near = bulbs.query(
        query_embeddings=[[0.9, 0.1]],
        n_results=2,
        where={"watt": {"$gt": 2}},
        include=["distances", "documents"],
    )
    assert near["distances"] and near["documents"]
    see("near", near["ids"][0])
    see("distance", near["distances"][0][0])
    see("near document", near["documents"][0][0])
    bulbs.update(ids=["a"], metadatas=[{"watt": 4}])
    bulbs.upsert(ids=["d"], embeddings=[[0.1, 0.2]], documents=["white"])
    see("ids", bulbs.get(include=[])["ids"])
    bulbs.delete(ids=["b"])
    bulbs.modify(name="old-bulbs")
    see("names", [collection.name for collection in client.list_collections()])
    see("collections", client.count_collections())
    client.delete_collection("old-bulbs")
    admin.delete_database("lamps", tenant=name)


main(*sys.argv[1:])
