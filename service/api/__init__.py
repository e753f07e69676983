"""The wire: Flask routes, JSON bodies, problem documents and the OpenAPI document that is made from them."""
