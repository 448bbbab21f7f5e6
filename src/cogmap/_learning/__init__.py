"""Learning a map from a table. Nothing here knows scikit-learn; `learn` is the way in."""
