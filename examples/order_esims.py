"""Orders eSIMs and prints their activation codes: `order_esims.py PLAN_ID REFERENCE QUANTITY`.

The key and the base URL come from PARTNER_ESIM_API_KEY and PARTNER_ESIM_BASE_URL. The reference
makes it safe to run again after any failure: the same order is never placed twice.
"""

import sys

from partner_esim import EsimClient, PaymentRequiredError, WaitTimeoutError


def main() -> None:
    plan_id, reference, quantity = sys.argv[1:]
    with EsimClient() as client:
        try:
            order = client.orders.create(
                plan_id=plan_id, reference=reference, quantity=int(quantity)
            )
            order = client.orders.wait(order.order_id)
        except PaymentRequiredError as error:
            sys.exit(f"the balance is too low: {error.message}")
        except WaitTimeoutError:
            sys.exit(f"order {reference} is still in progress: run this again later")
        if order.status != "completed":
            sys.exit(f"order {order.order_id} is {order.status}")
        print(f"{order.quantity} x {order.plan_id} for {order.total_usd} USD")
        for iccid in order.iccids:
            print(iccid, client.esims.get(iccid).activation.activation_code)


if __name__ == "__main__":
    main()
