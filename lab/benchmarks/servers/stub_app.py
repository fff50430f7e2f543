"""POST /orders through the generated stub."""

from orders import NOW, PRICE

from partner_esim import models
from partner_esim.server import Context, UnimplementedOrders, create_app


class Orders(UnimplementedOrders):
    async def create_order(self, *, body: models.OrderCreate, context: Context) -> models.Order:
        return models.Order(
            order_id="ord_01kjpx8nh0aqdvgyy0jrsyegax",
            reference=body.reference,
            status="processing",
            plan_id=body.plan_id,
            quantity=1,
            days=None,
            unit_price_usd=PRICE,
            total_usd=PRICE,
            iccids=[],
            end_user=None,
            metadata={},
            failure=None,
            created_at=NOW,
            completed_at=None,
        )


async def authenticate(key: str, request: object) -> str:
    return key


app = create_app(orders=Orders(), authenticate=authenticate, unimplemented="501")
unchecked = create_app(
    orders=Orders(), authenticate=authenticate, check_responses=False, unimplemented="501"
)
