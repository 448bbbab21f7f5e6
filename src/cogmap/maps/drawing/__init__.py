"""A map as a drawn graph, without a package for drawing: what is shown, where it stands, and all of it as SVG."""
