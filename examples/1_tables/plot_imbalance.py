"""
Rare classes
============

One tumour in ten is malignant here, since most malignant rows are left out. ``class_weight="balanced"`` gives both
classes the same say: more of the rare class is found, at the price of more false alarms. Probabilities are then those
of a balanced table.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import ConfusionMatrixDisplay, average_precision_score, recall_score
from sklearn.model_selection import train_test_split

from cogmap import FCMClassifier

tumours = load_breast_cancer(as_frame=True)
y = np.where(tumours.target == 0, "malignant", "benign")
rare = np.flatnonzero(y == "malignant")[:40]
rows = np.sort(np.concatenate([rare, np.flatnonzero(y == "benign")]))
X, y = tumours.data.iloc[rows, :5], y[rows]  # five columns: a harder problem
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for weight, ax in zip((None, "balanced"), axes, strict=True):
    fcm = FCMClassifier(class_weight=weight, random_state=0).fit(X_train, y_train)
    recall = recall_score(y_test, fcm.predict(X_test), pos_label="malignant")
    precision = average_precision_score(y_test == "malignant", fcm.predict_proba(X_test)[:, 1])
    print(f"class_weight={weight}: finds {recall:.0%} of the malignant tumours, average precision {precision:.2f}")
    ConfusionMatrixDisplay.from_estimator(fcm, X_test, y_test, ax=ax, colorbar=False)
    ax.set_title(f"class_weight={weight!r}")
