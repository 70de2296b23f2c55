"""The Python package: python3 test_python.py PACKAGE_FOLDER SOURCE_FOLDER"""

import contextlib
import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest

PACKAGE, SOURCE = sys.argv[1:3]
sys.path.insert(0, PACKAGE)
import rackcast  # noqa: E402

try:
    import pandas
except ImportError:
    pandas = None

SMALL = {
    "name": "small",
    "cluster": {"node": "dgx1v_16gb", "nodes": 2},
    "data": {"samples": 1000000},
    "workloads": [{"model": "resnet50", "epochs": 2}],
    "goal": {"deadline": "2 days"},
}
POD = os.path.join(SOURCE, "scenarios", "dgx_pod_dgx1.json")


class Questions(unittest.TestCase):
    def test_dictionary_and_file_give_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scenario")
            with open(path, "w", encoding="utf-8") as out:
                json.dump(SMALL, out)
            from_file, from_dictionary = rackcast.size(path), rackcast.size(SMALL)
        self.assertTrue(from_file["answer"]["feasible"])
        self.assertEqual(from_file["answer"], from_dictionary["answer"])

    def test_values_are_replaced(self):
        self.assertFalse(rackcast.size(SMALL, sets=["goal.deadline=1 ms"])["answer"]["feasible"])

    def test_other_questions(self):
        self.assertEqual(rackcast.simulate(SMALL)["kind"], "simulate")
        self.assertTrue(rackcast.explain(SMALL)["tables"])
        self.assertTrue(rackcast.uncertainty(SMALL, samples=16)["tables"])
        self.assertIn("no errors", rackcast.check(POD))
        self.assertTrue(rackcast.catalog("gpus", "k80")["tables"])

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.md")
            self.assertEqual(rackcast.report(rackcast.size(SMALL), path), [path])
            self.assertGreater(os.path.getsize(path), 1000)

    def test_text_and_comparison(self):
        result = rackcast.size(SMALL)
        self.assertIn("Decision", rackcast.text(result))
        self.assertGreater(len(rackcast.text(result, full=True)), len(rackcast.text(result)))
        other = rackcast.size(SMALL, sets=["workloads.0.epochs=4"])
        compared = rackcast.compare({"two": result, "four": other})
        self.assertEqual(compared["format"], "rackcast-comparison")
        self.assertIn("four", rackcast.text(compared))
        with self.assertRaises(rackcast.Error):
            rackcast.compare({"alone": result})

    def test_version(self):
        self.assertRegex(rackcast.__version__, r"^\d+\.\d+\.\d+$")

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_frames(self):
        scaling = rackcast.frame(rackcast.size(SMALL))
        self.assertGreater(len(scaling), 1)
        self.assertTrue((scaling.time_to_train_s_low <= scaling.time_to_train_s).all())
        gpus = rackcast.frame(rackcast.catalog("gpus"), "Entries")
        self.assertIn("k80", set(gpus.id))
        with self.assertRaises(KeyError):
            rackcast.frame(rackcast.catalog("gpus"), "no such table")


    def test_the_notebook_of_the_guide_runs(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        with open(os.path.join(SOURCE, "docs", "guide", "scaling_study.ipynb"), encoding="utf-8") as notebook:
            cells = [c for c in json.load(notebook)["cells"] if c["cell_type"] == "code"]
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for cell in cells:
                exec("".join(cell["source"]), names)  # noqa: S102
        self.assertEqual(printed.getvalue().count("nodes, bound by"), 3)
        self.assertEqual(set(names["curves"].node), {"DGX-1V", "DGX-2", "DGX A100"})


class Errors(unittest.TestCase):
    def test_place_and_hint(self):
        with self.assertRaises(rackcast.Error) as caught:
            rackcast.size({**SMALL, "goal": {"deadlin": "2 days"}})
        error = caught.exception
        self.assertEqual(error.code, 3)
        self.assertEqual(error.file, "scenario")
        self.assertEqual(error.line, 1)
        self.assertIn("deadlin", error.problem)
        self.assertIn("deadlin", error.hint)
        self.assertIn(error.problem, str(error))

    def test_bad_arguments(self):
        with self.assertRaises(rackcast.Error):
            rackcast.size("/no/such/file.json")
        with self.assertRaises(rackcast.Error):
            rackcast.size(SMALL, threads=-1)
        with self.assertRaises(TypeError):
            rackcast.size(12)
        with self.assertRaises(ValueError):
            rackcast.size({**SMALL, "name": float("nan")})
        with self.assertRaises(rackcast.Error):
            rackcast.report({}, "x.md")


class Control(unittest.TestCase):
    def test_progress(self):
        told = []
        rackcast.size(SMALL, progress=lambda what, done, all: told.append((what, done, all)))
        self.assertTrue(told)

    def test_an_error_of_the_progress_function_ends_the_work(self):
        def fails(what, done, all):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            rackcast.size(SMALL, progress=fails)

    def test_ctrl_c(self):
        """Of a question that takes many seconds, without a function of Python that is called meanwhile."""
        timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            rackcast.uncertainty(SMALL, samples=65536)
        timer.join()

    def test_threads_of_python_run_meanwhile(self):
        answers = []
        asking = threading.Thread(target=lambda: answers.append(rackcast.uncertainty(SMALL, samples=16384)))
        asking.start()
        turns = 0
        while asking.is_alive():
            time.sleep(0.001)
            turns += 1
        # A question that kept the interpreter to itself would leave this thread a turn before it and one after.
        self.assertGreater(turns, 20)
        self.assertEqual(answers[0], rackcast.uncertainty(SMALL, samples=16384))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
