"""Labs of a teacher's own: what is wrong with a lab.json or a reference is said, each in a sentence of its own; what
is right is graded. As data:

  labs/NAME/         a lab; right.cu earns all its points
  bad_labs/NAME/     case.json: labs/doubled with the text "from" replaced by "to", and what is said of it; where it
                     "check"s, by `warpbook lab check` (test_author.py), and .cu files are further solutions
  references/NAME/   case.json: labs/doubled with these files in place of its own, and what is said of it
  wrong/LAB/NAME.cu  a submission of labs/LAB that earns less; its first line says what is told, after "// "
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from test_grade import PATIENT, as_json, grade

HERE = Path(__file__).resolve().parent
DOUBLED = HERE / "labs/doubled"


def cases(folder):
    return [pytest.param(p.parent, id=p.parent.name) for p in sorted((HERE / folder).glob("*/case.json"))]


def copy_of(lab, to):
    shutil.copytree(lab, to / lab.name)
    return to / lab.name


@pytest.mark.parametrize("lab", [pytest.param(p.parent, id=p.parent.name) for p in sorted((HERE / "labs").glob("*/lab.json"))])
def test_what_is_right_earns_all_points(lab):
    right = max([*lab.glob("right.cu"), *lab.glob("solutions/*.cu")])
    rc, (report,) = as_json(lab, right, *PATIENT)
    assert rc == 0 and report["score"] == report["max_score"], json.dumps(report, indent=1)


@pytest.mark.parametrize("case", [c for c in cases("bad_labs") if "says" in c.values[0].joinpath("case.json").read_text()])
def test_a_mistake_in_lab_json_is_told(case, tmp_path):
    expect = json.loads((case / "case.json").read_text())
    lab = copy_of(DOUBLED, tmp_path)
    text = (lab / "lab.json").read_text()
    assert expect["from"] in text
    (lab / "lab.json").write_text(text.replace(expect["from"], expect["to"], 1))
    done = grade(lab, lab / "right.cu", "--device", "soft")
    told = done.stderr.decode()
    assert done.returncode == 2 and re.search(expect["says"], told), told
    assert re.match(r"warpbook grade: \S*lab\.json:\d+: ", told) and told.count("\n") == 1, told


@pytest.mark.parametrize("case", cases("references"))
def test_a_reference_that_is_none_is_told(case, tmp_path):
    """It is the machine's side that failed: no submission loses points by it."""
    expect = json.loads((case / "case.json").read_text())
    lab = copy_of(DOUBLED, tmp_path)
    for path in case.glob("*.c*"):
        shutil.copy(path, lab)
    changed = {**json.loads((lab / "lab.json").read_text()), **expect.get("lab", {})}
    (lab / "lab.json").write_text(json.dumps(changed, indent=1))
    limits = expect.get("limits", ["--compile-limit", "600", "--plan-limit", "60", "--run-limit", "120"])
    rc, (report,) = as_json(lab, lab / "right.cu", *limits)
    assert rc == 3 and report["status"] == "error", report
    assert re.search(expect["says"], report["message"]), report["message"]
    assert not report["tests"]


@pytest.mark.parametrize("path", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in sorted((HERE / "wrong").glob("*/*.cu"))])
def test_what_is_wrong_is_told(path):
    says = path.read_text().split("\n", 1)[0].removeprefix("// ")
    rc, (report,) = as_json(HERE / "labs" / path.parent.name, path, *PATIENT)
    told = report["message"] + "\n".join(t["output"] for t in report["tests"])
    assert rc == 1 and report["score"] < report["max_score"] and re.search(says, told), told


@pytest.mark.parametrize("limits, says", [({"cpu_s": 1}, "1 s of processor time \\(limits.cpu_s in lab.json\\)"),
                                          ({"wall_s": 1}, "may take 1 s \\(limits.wall_s in lab.json\\)")])
def test_a_submission_has_a_budget(limits, says, tmp_path):
    """Each launch may end in time: all of them together may not take more."""
    lab = copy_of(DOUBLED, tmp_path)
    changed = {**json.loads((lab / "lab.json").read_text()), "limits": limits}
    (lab / "lab.json").write_text(json.dumps(changed, indent=1))
    text = (lab / "right.cu").read_text()
    (lab / "slow.cu").write_text(text.replace("        out[i]", "        for (volatile long k = 0; k < 1L << 40; k++)\n            out[i]"))
    rc, (report,) = as_json(lab, lab / "slow.cu", *PATIENT)
    assert rc == 1 and report["score"] == 0, report
    stopped, *others = [finding for test in report["tests"] for finding in test["findings"]]
    assert stopped["kind"] == "budget" and re.search(f"twice.* was at slow.cu:[45]\\. .*{says}", stopped["text"]), report
    assert {f["kind"] for f in others} <= {"budget", "not-run", "right-first"}, others
