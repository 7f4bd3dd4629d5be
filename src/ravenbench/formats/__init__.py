"""Readers and writers of the field's file formats: PAN13–15, PAN18/19 and PAN20–23, as files, folders or zips.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
