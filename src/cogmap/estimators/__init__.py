"""Estimators that follow scikit-learn's contract."""
