"""
Are the probabilities right?
============================

Among rows with a predicted probability of 0.8, the class should occur in eight of ten. Voters of the American National
Election Study of 1996; scikit-learn's display compares the map with a random forest.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from statsmodels.datasets import anes96

from cogmap import FCMClassifier

voters = anes96.load_pandas().data
X, y = voters[["logpopul", "TVnews", "selfLR", "ClinLR", "DoleLR", "age", "educ", "income"]], voters["vote"].astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
for model in (FCMClassifier(random_state=0), RandomForestClassifier(random_state=0)):
    probabilities = model.fit(X_train, y_train).predict_proba(X_test)
    name = type(model).__name__
    CalibrationDisplay.from_predictions(y_test, probabilities[:, 1], n_bins=8, strategy="quantile", name=name, ax=axes)
    print(f"{name:24} log loss {log_loss(y_test, probabilities):.3f}")
