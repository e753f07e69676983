-- What an idempotency key brought before, on a route that names no crawl.

return answered_before() or {'OK'}
