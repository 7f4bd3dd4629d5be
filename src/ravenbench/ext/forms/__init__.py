"""Contains the forms in which others take what Raven has: scikit-learn's classifier, Croissant for frozen problems,
Hugging Face's evaluation results, and tasks of TIRA.

In: nothing. Out: nothing; ``pairs`` defines the classifier, ``croissant``, ``hugging_face`` and ``tira`` write folders.
"""
