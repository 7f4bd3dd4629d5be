"""Contains the forms in which others take what Raven has: scikit-learn's classifier, and Croissant for frozen problems.

In: nothing. Out: nothing; ``pairs`` defines the classifier, ``croissant`` the description.
"""
