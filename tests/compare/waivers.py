"""Where our verdict is not that of oasdiff, and why ours stands."""

# Reason -> the cases of the corpus.
WAIVERS: dict[str, str] = {
    # We report a break where oasdiff has information at most.
    "A new operationId renames the method of generated clients.": "0020 0021 0142 0185",
    "The first tag is the group of a method in generated clients.": "0058 0059 0145",
    "A renamed path parameter renames an argument of generated methods.": "0134",
    "Callers without the credential or scope are refused; oasdiff grades all security as "
    "information.": "0036 0039 0040 0043 0168",
    "A property's default decides what its absence means as much as a parameter's, which oasdiff "
    "reports.": "0159 0318 0319 0320",
    "A response may now hold text that did not match; oasdiff reports the same of every other "
    "limit.": "0150 0154 0448 0450",
    "An argument or field has another type in generated clients, although one text may be read as "
    "both.": "0275 0279 0280 0281 0404 0434 0492",
    "Clients that ask for application/json do not get it any more.": "0435 0436",
    "A base address is gone.": "0192",
    "A name is required from now on, whether it is declared as a property or not.": "0093 0390",
    "Parameters of the path item are gone together with it, which oasdiff does not look at.": (
        "0177"
    ),
    "The path parameter has another name than the place in the path: the document is not valid.": (
        "0004"
    ),
    "Responses gain an alternative, for which there is a new class; oasdiff reports it of `oneOf` "
    "only.": "0455",
    # oasdiff reports a break, and there is none.
    "The keyword does not apply to values of this type, or is met by all that the other keywords "
    "leave.": "0066 0072 0073 0075 0114 0249 0256 0352 0358 0362 0367",
    "The enumeration is gone, so more is allowed in a request.": "0143 0547",
    "Clients do not send the property: it is for reading only.": "0151 0152",
    "What is added to or leaves `allOf` only declares optional properties of an open object, or "
    "says what another member says.": "0164 0165 0285",
    "The alternative was replaced by one that says the same.": "0290",
    "No value satisfies either schema: items are texts, and some of them integers.": ("0307 0308"),
    "The API sends one more property than it did.": "0110 0498",
    "The body of a webhook is sent by the API, which may send it always.": "0511",
}
REASONS = {f"oasdiff-{case}": reason for reason, cases in WAIVERS.items() for case in cases.split()}
