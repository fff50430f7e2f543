"""Addresses of the Django shop."""

from django.urls import include, path
from rest_framework.routers import SimpleRouter

from lab.shops.django_shop import views

router = SimpleRouter()
router.register("products", views.ProductViewSet)
router.register("products/(?P<product_id>[^/.]+)/reviews", views.ReviewViewSet)
router.register("orders", views.OrderViewSet)
urlpatterns = [
    path("api/me/", views.MeView.as_view()),
    path("api/products/<uuid:product_id>/image/", views.ImageView.as_view()),
    path("api/", include(router.urls)),
]
handler404 = views.unknown
