"""Figures of ``docs/about/reproduction.md``, which `docs/figures.py` inserts from the committed runs of the paper."""

from figure_text import markdown, summary

PROTOCOLS = ("author", "printed", "strict")


def table(protocol, name):
    """Return the columns and the rows of a table of a run."""
    entry = next(entry for entry in summary(protocol)["tables"] if entry["id"] == name)
    return entry["columns"], entry["rows"]


def cells(protocol, name, dataset):
    """Return one row of a score table as a dict of cells by method."""
    columns, rows = table(protocol, name)
    (row,) = [row for row in rows if row[0] == dataset]
    return dict(zip(columns[1:], row[1:], strict=True))


def digits(value, signed=False):
    """Return a number with three decimals, or an empty string for None."""
    return "" if value is None else f"{value:+.3f}" if signed else f"{value:.3f}"


def ranks(protocol, on):
    """Return the mean ranks of accuracy by method."""
    _, rows = table(protocol, "ranks")
    return {row[2]: row[3] for row in rows if row[:2] == ["Accuracy", on]}


def methods(protocol):
    """Return the table of the map and its rivals in a run, best mean rank on folds first."""
    means = cells(protocol, "accuracy", "mean")
    on_folds, on_datasets = ranks(protocol, "folds"), ranks(protocol, "dataset means")
    log_loss = {row[0]: row[1] for row in table(protocol, "probabilities")[1]}
    titles = summary(protocol)["methods"]
    rows = []
    for method in sorted(on_folds, key=on_folds.get):
        name = f"**{titles[method]} ({method})**" if method == "fcm" else f"{titles[method]} ({method})"
        published = None if protocol == "strict" else means[method]["published"]  # of another experiment
        rows.append(
            [name, digits(means[method]["ours"]), digits(published), f"{on_folds[method]:.2f}",
             f"{on_datasets[method]:.2f}", digits(log_loss.get(method))]
        )  # fmt: skip
    return markdown(
        ["method", "mean accuracy", "published", "mean rank, folds", "mean rank, datasets", "mean log loss"], rows
    )


def maps():
    """Return the table of the accuracy of the map on each dataset, in each protocol."""
    rows, near = [], dict.fromkeys(("author", "printed"), 0)
    datasets = summary("author")["datasets"]
    for dataset in datasets:
        row = [dataset]
        for protocol in ("author", "printed"):
            cell = cells(protocol, "accuracy", dataset)["fcm"]
            row += [digits(cell["ours"]), digits(cell["published"]), digits(cell["difference"], signed=True)]
            near[protocol] += abs(cell["difference"]) <= 0.03
        rows.append([*row, digits(cells("strict", "accuracy", dataset)["fcm"]["ours"])])
    columns = ["dataset", "author", "published", "difference", "printed", "published", "difference", "strict"]
    counts = [f"{protocol}: {count} of {len(datasets)}" for protocol, count in near.items()]
    return f"Within .03 of the published accuracy: {', '.join(counts)}.\n\n{markdown(columns, rows)}"


def mixtures():
    """Return the table of the Gaussian mixtures next to the published ones."""
    rows = []
    for method in ("gmc_1f", "gmc_3f", "gmc_3d"):
        row = [method]
        for protocol in ("author", "printed"):
            cell = cells(protocol, "accuracy", "mean")[method]
            row += [digits(cell["ours"]), digits(cell["published"]), digits(cell["difference"], signed=True)]
        rows.append(row)
    return markdown(["method", "author", "published", "difference", "printed", "published", "difference"], rows)


def statistics():
    """Return the table of omnibus tests next to the published ones of the same run."""
    rows = []
    for protocol in PROTOCOLS:
        for metric, on, n, test, statistic, value, p, published, p_published, _ in table(protocol, "omnibus")[1]:
            if test != "Iman-Davenport":
                reference = ["", ""] if published is None else [f"{published:.2f}", f"{p_published:.1e}"]
                rows.append(
                    [protocol, metric, f"{n} {on}", f"{test}, {statistic}", f"{value:.2f}", f"{p:.1e}", *reference]
                )
    return markdown(["protocol", "metric", "on", "test", "value", "p", "published", "p published"], rows, n_text=4)


def claims():
    """Return every claim about the experiment, with its verdicts and the supporting figures."""
    verdicts = {protocol: summary(protocol)["claims"] for protocol in PROTOCOLS}
    rows, figures = [], []
    for number, of_protocols in enumerate(zip(*verdicts.values(), strict=True), start=1):
        claim = of_protocols[0]
        rows.append([number, claim["claim"], claim["section"], *(verdict["verdict"] for verdict in of_protocols)])
        figures.append(f"{number}. {claim['claim']}")
        figures += [f"   - {p}: {verdict['evidence']}" for p, verdict in zip(verdicts, of_protocols, strict=True)]
    counts = [
        f"{protocol} {sum(claim['verdict'] == 'holds' for claim in entries)} of {len(entries)}"
        for protocol, entries in verdicts.items()
    ]
    head = markdown(["", "claim", "section", *PROTOCOLS], rows, n_text=6)
    return f"Claims that hold: {', '.join(counts)}.\n\n{head}\n\nThe figures behind the verdicts:\n\n" + "\n".join(
        figures
    )


def pipelines():
    """Return the table of the mean accuracy of each rival alone and after the map."""
    rows = []
    for method in cells("author", "preprocess_accuracy", "mean"):
        row = [method]
        for protocol in PROTOCOLS:
            alone = cells(protocol, "accuracy", "mean")[method.removeprefix("fcm_")]["ours"]
            after = cells(protocol, "preprocess_accuracy", "mean")[method]
            row += [
                digits(alone),
                digits(after["ours"]),
                *([digits(after["published"])] if protocol != "strict" else []),
            ]
        rows.append(row)
    columns = ["pipeline", "author, rival", "after the map", "published", "printed, rival", "after the map",
               "published", "strict, rival", "after the map"]  # fmt: skip
    return markdown(columns, rows)


def training():
    """Return the table of the accuracy of the map on training and on test rows."""
    rows = []
    for protocol in PROTOCOLS:
        test, train = (cells(protocol, name, "mean")["fcm"] for name in ("accuracy", "train_accuracy"))
        published = None if protocol == "strict" else test["published"]
        rows.append([protocol, digits(train["ours"]), digits(train["published"]), digits(test["ours"]),
                     digits(published)])  # fmt: skip
    columns = ["protocol", "accuracy on training rows", "published", "accuracy on test rows", "published"]
    return markdown(columns, rows)


BLOCKS = {
    **{f"methods {protocol}": lambda protocol=protocol: methods(protocol) for protocol in PROTOCOLS},
    "maps": maps,
    "mixtures": mixtures,
    "statistics": statistics,
    "claims": claims,
    "pipelines": pipelines,
    "training": training,
}
