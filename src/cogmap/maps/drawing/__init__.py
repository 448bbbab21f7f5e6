"""Drawing of maps without a plotting package: selection of edges, layout, routing and SVG."""
