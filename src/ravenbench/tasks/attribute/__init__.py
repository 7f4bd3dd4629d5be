"""Attribution of documents to one of many authors.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
