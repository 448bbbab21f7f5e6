"""Estimators that follow scikit-learn's contract."""

from cogmap.estimators.classifier import FCMClassifier
from cogmap.estimators.classifier_cv import FCMClassifierCV
from cogmap.estimators.regressor import FCMRegressor

__all__ = ["FCMClassifier", "FCMClassifierCV", "FCMRegressor"]
