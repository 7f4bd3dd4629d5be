"""Contains the forms in which others take what Raven has: scikit-learn's classifier.

In: nothing. Out: nothing; ``pairs`` defines the classifier.
"""
