"""Import time of the classifier, relative to its dependencies."""

import subprocess
import sys

from benchmarks.timing import best_times, print_table


def python(code):
    """Run code in a new interpreter."""
    subprocess.run([sys.executable, "-c", code], check=True)


def main():
    """Print the ratio."""
    times = best_times(
        {
            "nothing": lambda: python(""),
            "base": lambda: python("import sklearn.base, scipy.optimize"),
            "cogmap": lambda: python("from cogmap import FCMClassifier"),
        },
        rounds=15,
        seconds=60.0,
    )
    rows = [
        [name, f"{1000 * times[key]:.0f} ms"]
        for name, key in [
            ("import FCMClassifier", "cogmap"),
            ("import sklearn.base, scipy.optimize", "base"),
        ]
    ]
    ratio = (times["cogmap"] - times["nothing"]) / (times["base"] - times["nothing"])
    rows.append(["ratio without interpreter startup (target: at most 1.1)", f"{ratio:.2f}"])
    print_table("Import", ["what", "time"], rows)


if __name__ == "__main__":
    main()
