"""
A raw table
===========

Who did the respondents of the American National Election Study of 1996 vote for? ``fit_table`` takes the table as it
is: text, numbers and gaps. The card compares the map with a random forest and a linear model on held-out rows.
"""

import matplotlib.pyplot as plt
from statsmodels.datasets import anes96

from cogmap import explain, fit_table

voters = anes96.load_pandas().data[["age", "educ", "income", "TVnews", "selfLR", "vote"]]
voters["vote"] = voters["vote"].map({0: "Clinton", 1: "Dole"})
voters["selfLR"] = voters["selfLR"].map(
    dict(enumerate(["", "far left", "left", "left of middle", "middle"]))
    | {5: "right of middle", 6: "right", 7: "far right"}
)
voters.loc[::15, "income"] = None  # gaps, for the example
model = fit_table(voters, "vote")
scores = model.held_out_["scores"]["accuracy"]
print(f"held-out accuracy {scores['mean']:.3f}")

# %%
# Contributions are those of columns: a category is one column, whatever its concepts are.

answer = explain(model, voters.sample(200, random_state=0))
print(answer)

# %%
# How the probability of Dole depends on where people place themselves:

order = ["far left", "left", "left of middle", "middle", "right of middle", "right", "far right"]
typical = {"age": 45, "educ": 4, "income": 16, "TVnews": 3}
shares = [model.predict_proba({**typical, "selfLR": place})[0, 1] for place in order]

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.barh(order, shares, color="#0072b2")
_ = axes.set(xlabel="probability of a vote for Dole", xlim=(0, 1))
