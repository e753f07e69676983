"""What the service answers, as the reference describes it. Bodies are built by `service/sight`; nothing is read here.

Fields that only the GM is given, or only where the crawl shows them to players, are not required.
"""
