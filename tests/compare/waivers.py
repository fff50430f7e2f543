"""Cases in which our verdict differs from that of oasdiff, with the reasons."""

# Reason -> the cases of the corpus.
WAIVERS: dict[str, str] = {
    # We report a break where oasdiff has information at most.
    "Callers without the credential or scope get 401 or 403 from now on.": (
        "0036 0039 0040 0043 0168"
    ),
    "A request without the property means something else than before; of parameters, oasdiff "
    "says the same.": "0159 0318 0319 0320",
    "The response may hold text that the pattern ruled out; oasdiff reports every other limit of "
    "a response that goes.": "0150 0154 0448 0450",
    "An object is not text, in XML neither: the one has elements, the other has none.": (
        "0404 0492"
    ),
    "A client that accepts application/json alone gets 406, or a body that it does not expect.": (
        "0435 0436"
    ),
    "The only address that clients know is gone.": "0192",
    "A request without the name is refused from now on; that `properties` does not list it changes "
    "nothing.": "0093 0390",
    "Parameters that all operations of the path had are gone; those of an operation oasdiff "
    "reports.": "0177",
    "Responses gain an alternative that generated unions have no class for; oasdiff reports it of "
    "`oneOf`, not of `anyOf`.": "0455",
    "A required property that becomes write-only is no longer in the response.": "0109 0497",
    "A property that becomes read-only is removed from requests, and one that becomes write-only "
    "from responses: generated models lose the field.": "0342 0354 0359 0370 0417 0421 0444",
    "Clients no longer know which alternative a response is.": "0425",
    "Clients that carry out the flow ask at another address, or for a scope that is gone.": (
        "0166 0172"
    ),
    "A value with the old tag is not known any more.": "0208 0427",
    "A required property that was read-only has to be sent from now on.": "0422",
    # oasdiff reports a break where nothing breaks.
    "The keyword is not about values of this type: no text has a maximum, no list a maxLength.": (
        "0072 0073 0075 0114 0249 0256 0352 0358 0362 0367 0393 0399"
    ),
    "Every text that has the old pattern has the new one.": "0224 0373",
    "Every value of the enumeration is shorter than the new maxLength.": "0066",
    "The enumeration is gone from a request, which may hold any value now.": "0143 0547",
    "A number in a query is text to the server, before and after.": "0272 0525 0530",
    "The property is read-only: clients do not send it.": "0151 0152",
    "The member of `allOf` declares optional properties of an open object, or says what another "
    "member says.": "0164 0165 0285",
    "The alternative was replaced by one that says the same.": "0290",
    "No value fits either schema: all items are text, and some are integers.": "0307 0308",
    "The response has one more property, which its open object allowed before.": "0110 0498",
    "The template of the path has the parameter, which was not declared before.": "0135",
    "The body of a webhook is sent by the API, which may send it always.": "0511",
}
REASONS = {f"oasdiff-{case}": reason for reason, cases in WAIVERS.items() for case in cases.split()}
