"""Receives webhooks with FastAPI: `uvicorn receive_fastapi:app`, the secret in WEBHOOK_SECRET."""

import os

from fastapi import FastAPI, Request, Response

from partner_esim import models, webhooks

SECRET = os.environ["WEBHOOK_SECRET"]

app = FastAPI()
# A database in earnest: a delivery can come twice, and to another process.
seen: set[str] = set()


@app.post("/webhooks/esim")
async def receive(request: Request) -> Response:
    try:
        event = webhooks.parse(await request.body(), request.headers, SECRET)
    except webhooks.SignatureError:
        return Response(status_code=400)
    if isinstance(event, models.OrderCompletedEvent) and event.id not in seen:
        seen.add(event.id)
        print("deliver", event.data.reference, *event.data.iccids)
    return Response(status_code=204)
