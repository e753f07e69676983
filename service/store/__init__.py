"""Redis: where crawls are kept. `keys` names every key, `codec` the bytes, `crawls.CrawlStore` is the way in."""
