"""
An expert's map, and where the data disagree
============================================

An expert draws what she believes about wines of three growers. Learning starts from her map, and changes an arrow only
where the data demand it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from cogmap import FCMClassifier, FuzzyCognitiveMap

X, y = load_wine(return_X_y=True, as_frame=True)
expert = FuzzyCognitiveMap.from_edges(
    [
        ("proline", "class=0", 0.8),
        ("alcohol", "class=0", 0.4),
        ("color_intensity", "class=1", 0.6),
        ("flavanoids", "class=2", -0.7),
    ]
).replace(slope=5)
fcm = FCMClassifier(prior=expert, alpha=2, random_state=0).fit(X, y)
deviations = pd.DataFrame(fcm.prior_deviations_)
print(deviations.round(2).to_string(index=False))

# %%
# Three opinions hold. The data contradict the one about colour.

places = np.arange(len(deviations))
figure, axes = plt.subplots(figsize=(9, 3.5), layout="constrained")
axes.barh(places + 0.2, deviations["prior"], 0.4, color="#999999", label="expert")
axes.barh(places - 0.2, deviations["learned"], 0.4, color="#0072b2", label="learned")
axes.set_yticks(places, deviations["source"] + " → " + deviations["target"])
axes.axvline(0, color="black", linewidth=0.8)
axes.set_xlabel("weight")
axes.legend()
