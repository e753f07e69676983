"""What `alarum serve` runs: the store, the web workers and the delivery worker, each a process of its own."""
