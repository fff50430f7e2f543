"""Receives webhooks with Flask: `flask --app receive_flask run`, the secret in WEBHOOK_SECRET."""

import os

from flask import Flask, Response, request

from partner_esim import webhooks

SECRET = os.environ["WEBHOOK_SECRET"]

app = Flask(__name__)
# Use a database in production: a delivery can arrive twice, and at another process.
seen: set[str] = set()


@app.post("/webhooks/esim")
def receive() -> Response:
    try:
        event = webhooks.parse(request.get_data(), request.headers, SECRET)
    except webhooks.SignatureError:
        return Response(status=400)
    except webhooks.InvalidEventError as error:
        # Genuine, but a retry would not help: acknowledge the event, and log it for investigation.
        app.logger.error("an event was not understood: %s", error)
        return Response(status=204)
    if event.type == "order.completed" and event.id not in seen:
        seen.add(event.id)
        print("deliver", event.data.reference, *event.data.iccids)
    return Response(status=204)
