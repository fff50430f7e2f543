"""The peers and their exact versions; each peer gets its own virtual environment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peer:
    """The packages to install for one peer; the first requirement names it."""

    key: str
    requirements: tuple[str, ...]
    needs: str = ""

    @property
    def label(self) -> str:
        return self.requirements[0].replace("==", " ")


PEERS = {
    peer.key: peer
    for peer in (
        Peer("openapi-python-client", ("openapi-python-client==0.29.1", "ruff==0.17.5")),
        Peer("openapi-generator", ("openapi-generator-cli==7.26.0",), needs="java"),
        Peer("datamodel-code-generator", ("datamodel-code-generator==0.89.0",)),
        Peer("openai", ("openai==3.52.0",)),
        # Its asynchronous calls need an HTTP library that it does not install.
        Peer("stripe", ("stripe==16.1.0", "httpx>=0.28,<1")),
        Peer("svix", ("svix==2.9.1",)),
        Peer("fastapi", ("fastapi==0.165.0", "httptools>=0.8", "uvicorn==0.54.0")),
        Peer(
            "litestar",
            ("litestar==2.25.0", "pydantic>=2.14,<3", "httptools>=0.8", "uvicorn==0.54.0"),
        ),
        Peer(
            "fastapi-sqlalchemy",
            (
                "fastapi==0.165.0",
                "sqlalchemy[asyncio]==2.1.9",
                "aiosqlite==0.22.1",
                "asyncpg==0.32.0",
                "httptools>=0.8",
                "uvicorn==0.54.0",
            ),
        ),
    )
}
