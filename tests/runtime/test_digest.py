"""Digest: the examples of RFC 7616, and texts that are no challenges."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.datastructures import WWWAuthenticate

from specwright.runtime.shared.auth.challenges import challenges, written
from specwright.runtime.shared.auth.digest import (
    Digest,
    DigestChallenge,
    DigestCredentials,
    authorization,
    digest_challenges,
    ha1,
)

SCHEME = Digest(argument="")
MUFASA = DigestChallenge(
    realm="http-auth@example.org",
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    qop=("auth", "auth-int"),
    opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
)
CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_the_first_example_of_the_rfc(algorithm: str, response: str) -> None:
    # RFC 7616, 3.9.1.
    challenge = replace(MUFASA, algorithm=algorithm)
    user = ("Mufasa", "Circle of Life")
    text = authorization(user, challenge, "GET", "/dir/index.html", 1, CNONCE)
    assert f'response="{response}"' in text
    credentials = SCHEME.read(text)
    assert credentials is not None
    assert (credentials.username, credentials.nc, credentials.qop) == ("Mufasa", "00000001", "auth")
    received = replace(credentials, method="GET")
    assert received.is_valid("Circle of Life")
    assert received.is_valid_for(ha1(*user, MUFASA.realm, algorithm))
    assert not received.is_valid("circle of life")
    assert not replace(received, method="POST").is_valid("Circle of Life")


def test_the_second_example_of_the_rfc() -> None:
    # RFC 7616, 3.9.2, with the digests of its erratum 4897.
    challenge = DigestChallenge(
        realm="api@example.org",
        nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
        algorithm="SHA-512-256",
        qop=("auth",),
        opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS",
        userhash=True,
    )
    cnonce = "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
    text = authorization(("Jäsøn Doe", "Secret, or not?"), challenge, "GET", "/doe.json", 1, cnonce)
    credentials = SCHEME.read(text)
    assert credentials is not None
    assert credentials.userhash
    assert credentials.username == (
        "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
    )
    assert credentials.response == (
        "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
    )


def test_the_challenges_of_the_rfc() -> None:
    # RFC 7616, 3.9.1, and RFC 9110, 11.6.1, in one list.
    sha, md5 = (
        f'Digest realm="r", qop="auth, auth-int", algorithm={algorithm}, nonce="n"'
        for algorithm in ("SHA-256", "MD5")
    )
    other = 'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"'
    texts = [f"{other}, {sha}", md5, "Negotiate", "Bearer abc==, Basic"]
    assert challenges(texts)[0] == (
        "newauth",
        [("realm", "apps"), ("type", "1"), ("title", 'Login to "apps"')],
    )
    assert [scheme for scheme, _ in challenges(texts)] == [
        *("newauth", "basic", "digest", "digest", "negotiate", "bearer", "basic"),
    ]
    assert [each.algorithm for each in digest_challenges(texts)] == ["SHA-256", "MD5"]
    assert {each.qop for each in digest_challenges(texts)} == {("auth", "auth-int")}


@pytest.mark.parametrize(
    ("changes", "is_supported"),
    [
        ({}, True),
        ({"algorithm": "sha-256-SESS", "qop": ()}, True),
        ({"qop": ("auth-int",)}, False),
        ({"algorithm": "SHA-1024"}, False),
        ({"algorithm": "-sess"}, False),
    ],
)
def test_what_is_supported(changes: dict[str, object], is_supported: bool) -> None:
    assert replace(MUFASA, **changes).is_supported is is_supported  # type: ignore[arg-type]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")))


@given(realm=TEXT, nonce=TEXT, opaque=TEXT, stale=st.booleans())
def test_a_challenge_is_read_as_it_was_written(
    realm: str, nonce: str, opaque: str, stale: bool
) -> None:
    challenge = DigestChallenge(
        realm=realm or "r", nonce=nonce or "n", qop=("auth",), opaque=opaque or None, stale=stale
    )
    assert list(digest_challenges([challenge.write()])) == [challenge]


@given(name=TEXT.filter(lambda text: ":" not in text), realm=TEXT, uri=TEXT)
def test_an_answer_is_read_as_it_was_written(name: str, realm: str, uri: str) -> None:
    credentials = DigestCredentials(
        username=name or "n", realm=realm, nonce="n", uri=uri or "/", response="f", qop="auth"
    )
    assert SCHEME.read(credentials.write()) == credentials


@given(st.lists(st.text('ab ,="\\\t\xff')))
@example(['Digest realm="'])
@example(["Digest " + '"\\' * 20_000])
def test_no_text_is_too_strange(texts: list[str]) -> None:
    for scheme, params in challenges(texts):
        assert scheme
        assert all(name for name, _ in params)
    for text in texts:
        assert SCHEME.read(f"Digest {text}") is None


@given(
    st.dictionaries(
        st.sampled_from(["realm", "nonce", "opaque"]), st.text('ab ,="\\', min_size=1), min_size=1
    )
)
def test_another_reader_reads_the_same(params: dict[str, str]) -> None:
    text = written("Digest", params, ())
    read = WWWAuthenticate.from_header(text)
    assert read is not None
    assert dict(read.parameters) == params == dict(challenges([text])[0][1])
