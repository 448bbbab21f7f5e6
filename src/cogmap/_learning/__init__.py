"""Training of maps, without scikit-learn: `planning.make_plans`, then `training.train`."""
