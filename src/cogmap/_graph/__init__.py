"""A map as a drawn graph, without a package for drawing: what is shown, where it stands, and the picture as SVG text."""
