"""Attribution of documents to one of many authors.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
