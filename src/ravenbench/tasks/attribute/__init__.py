"""Attribution of documents to one of many authors."""
