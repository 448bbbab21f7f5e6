"""Learning a map from a table, without scikit-learn: `planning.make_plans`, then `training.train`."""
