"""What a table can do with a crawl: one module a capability; load, let the rules decide, tell, commit.

Every use case takes who entered (`entering.enter`, which reads once) and gives a `store.records.Answer`. Lists answer
`{"<plural>": [...], "next": cursor or null}`; `after` takes that cursor.
"""
