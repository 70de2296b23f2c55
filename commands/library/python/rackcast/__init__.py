"""rackcast: how a deep-learning cluster will perform, and how much of it to buy.

    import rackcast
    result = rackcast.size("fleet.json", sets=["goal.deadline=21 days"])
    print(result["answer"]["nodes"])

A scenario is the path of a file or a dictionary of the same form. Answers are dictionaries: result documents
(docs/reference/result.md), or tables, which frame() makes pandas frames of. What is wrong with a question is an
Error with place and hint. Ctrl-C ends a question.
"""

import json as _json
import os as _os

from . import _rackcast
from ._error import Error

__all__ = ["Error", "size", "simulate", "explain", "uncertainty", "campaign", "check", "catalog", "text", "compare", "report", "frame"]
__version__ = _rackcast.version


def _asked(scenario):
    """File and text of a scenario; the text is empty where the file is read."""
    if isinstance(scenario, dict):
        return "scenario", _json.dumps(scenario, allow_nan=False)
    return _os.fspath(scenario), ""


def _ask(question, scenario, sets=(), limits=(), catalog="", threads=0, samples=0, progress=None):
    file, text = _asked(scenario)
    document, _ = _rackcast.ask(
        question, file, text, _os.fspath(catalog), list(sets), list(limits), threads, samples, progress
    )
    return document


def size(scenario, *, sets=(), limits=(), catalog="", threads=0, progress=None):
    """How many nodes meet the goal of the scenario: a result document as a dictionary.

    sets: values that replace those of the scenario, "goal.deadline=21 days". limits: "10 s" or "events=1e6",
    the answer is what is known by then. catalog: folder with entries of one's own. threads: that simulate; 0:
    one per core; the answer is the same for any number. progress: called now and then with what is counted,
    how much is done, and of how much (0: not known); it may not ask a question itself. A goal that no cluster reaches is an answer too:
    ["answer"]["feasible"] is False, with the conflicts. Raises Error.
    """
    return _json.loads(
        _ask("size", scenario, sets=sets, limits=limits, catalog=catalog, threads=threads, progress=progress)
    )


def simulate(scenario, *, sets=(), limits=(), catalog="", progress=None):
    """How long the scenario takes on its own cluster: a result document. Arguments mean what they mean in size()."""
    return _json.loads(_ask("simulate", scenario, sets=sets, limits=limits, catalog=catalog, progress=progress))


def explain(scenario, *, sets=(), catalog=""):
    """Where time and memory of one step go: a table document, see frame()."""
    return _json.loads(_ask("explain", scenario, sets=sets, catalog=catalog))


def uncertainty(scenario, *, samples=256, sets=(), catalog="", progress=None):
    """How sure the answer is, and what it is sensitive to: a table document. samples: 16 to 65536."""
    return _json.loads(
        _ask("uncertainty", scenario, sets=sets, catalog=catalog, samples=samples, progress=progress)
    )


def campaign(scenario, *, sets=(), limits=(), catalog="", progress=None):
    """Days to years of jobs on the scenario's cluster: a campaign document."""
    return _json.loads(_ask("campaign", scenario, sets=sets, limits=limits, catalog=catalog, progress=progress))


def check(scenario, *, sets=(), catalog=""):
    """Reads the scenario and resolves its names without simulating. Raises Error; else a line of text."""
    return _ask("check", scenario, sets=sets, catalog=catalog)


def catalog(kind="", name="", *, catalog=""):
    """A table of what rackcast knows ("gpus", "nodes", "models", ...), or one entry: a table document."""
    return _json.loads(_rackcast.catalog(kind, name, _os.fspath(catalog)))


def text(document, full=False):
    """What the program prints of a document. full: all sections of a result, and not its first page alone."""
    return _rackcast.text(_json.dumps(document), full)


def compare(results):
    """Results beside each other, {"name": result, ...}: a comparison document, with differences to the first."""
    return _json.loads(_rackcast.compare([(name, _json.dumps(result)) for name, result in results.items()]))


def report(document, path):
    """Writes a report of a result, campaign or comparison: .html, .pdf, .md, .txt, .csv, .xlsx or .json. Returns the files."""
    return _rackcast.report(_json.dumps(document), _os.fspath(path)).split("\n")


def frame(document, table=0):
    """A table as a pandas frame: of a table document by number or caption, of a result its scaling curve.

    Of a result: one row per workload and size, with workload, nodes, gpus, samples_per_s, time_to_train_s,
    efficiency and binds; times in seconds with the ends of their 90 % interval. Needs pandas.
    """
    import pandas

    if "tables" in document:
        tables = document["tables"]
        if isinstance(table, str):
            chosen = {t["caption"]: t for t in tables}[table]
        else:
            chosen = tables[table]
        return pandas.DataFrame(chosen["rows"], columns=[column["title"] for column in chosen["columns"]])
    rows = []
    for workload in document.get("workloads", []):
        for point in workload.get("scaling", []):
            row = {"workload": workload.get("title"), "nodes": point["nodes"], "gpus": point["gpus"]}
            for name in ("samples_per_s", "time_to_train_s"):
                figure = point.get(name) or {}
                row[name] = figure.get("value")
                row[name + "_low"] = figure.get("low")
                row[name + "_high"] = figure.get("high")
            row["efficiency"] = point.get("efficiency")
            row["binds"] = point.get("binds")
            rows.append(row)
    return pandas.DataFrame(rows)
