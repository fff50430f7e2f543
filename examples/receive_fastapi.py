"""Receives webhooks with FastAPI: `uvicorn receive_fastapi:app`, the secret in WEBHOOK_SECRET."""

import logging
import os

from fastapi import FastAPI, Request, Response

from partner_esim import webhooks

SECRET = os.environ["WEBHOOK_SECRET"]

app = FastAPI()
logger = logging.getLogger(__name__)
# Use a database in production: a delivery can arrive twice, and at another process.
seen: set[str] = set()


@app.post("/webhooks/esim")
async def receive(request: Request) -> Response:
    try:
        event = webhooks.parse(await request.body(), request.headers, SECRET)
    except webhooks.SignatureError:
        return Response(status_code=400)
    except webhooks.InvalidEventError as error:
        # Genuine, but a retry would not help: acknowledge the event, and log it for investigation.
        logger.error("an event was not understood: %s", error)
        return Response(status_code=204)
    if event.type == "order.completed" and event.id not in seen:
        seen.add(event.id)
        print("deliver", event.data.reference, *event.data.iccids)
    return Response(status_code=204)
