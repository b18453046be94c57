#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the pipeline files and prints the shell scripts in them.

pipelines.py check                checks the files of ci/github, ci/gitlab and .github, and ci/Containerfile
pipelines.py script FILE PLACE    prints one script; PLACE is a path like jobs.comment.steps.0.run
"""
import glob
import re
import sys

import yaml

# YAML 1.1 reads the key `on` as a truth value.
ON = True


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def at(value, place):
    """PLACE may begin with a dot, as the names of hidden jobs of GitLab do."""
    keys = place.lstrip(".").split(".")
    keys[0] = place[:len(place) - len(place.lstrip("."))] + keys[0]
    for key in keys:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def require(condition, what):
    if not condition:
        sys.exit("false: " + what)


def steps_of(document):
    for job in document.get("jobs", {"": document.get("runs")}).values():
        yield from job["steps"]


def check_scripts(path, document):
    for step in steps_of(document):
        require("${{" not in step.get("run", ""), f"{path}: no script has an expression in its text")
        require("run" not in step or step.get("shell"), f"{path}: every script names its shell")
        for value in step.get("env", {}).values():
            require("event.pull_request.title" not in str(value), f"{path}: no free text of a pull request is passed")


PIN = re.compile(r"(\./ci/github|[a-z-]+/[a-z-]+@[0-9a-f]{40})")
READS_ARTIFACTS = {"contents": "read", "actions": "read"}


def check_uses(path, document):
    """Actions of others are pinned by commit; a comment names the version, which a person can compare."""
    for step in steps_of(document):
        require("uses" not in step or PIN.fullmatch(step["uses"]), f"{path}: {step.get('uses')} is pinned by a commit")
    with open(path, encoding="utf-8") as file:
        for line in file:
            require("@" not in line or "uses:" not in line or re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line),
                    f"{path}: {line.strip()} names its version")


def check_jobs(path, document):
    for name, job in document["jobs"].items():
        require("timeout-minutes" in job, f"{path}: job {name} ends in time")
        measures = "gpu" in job["runs-on"]
        require(not measures or "permissions" not in job, f"{path}: job {name} runs measured code without more rights")
        require(not measures or "token" not in str(job["steps"]).lower(), f"{path}: job {name} runs measured code without a token")


def check_fetching(path, document):
    """The job that may read artifacts runs on a hosted machine and executes nothing but fetch.sh."""
    job = document["jobs"]["baseline"]
    require(job["runs-on"] == "ubuntu-latest", f"{path} fetches the baseline on a hosted machine")
    require(job["permissions"] == READS_ARTIFACTS, f"{path} fetches the baseline with the right to read it only")
    require([step["run"] for step in job["steps"] if "run" in step] == ["sh ci/github/fetch.sh"],
            f"{path} executes only fetch.sh beside the token")
    scripts = [step["with"] for step in steps_of(document) if step.get("with", {}).get("path") == ".weir/baselines.db"]
    require(all(with_["include-hidden-files"] for with_ in scripts), f"{path} uploads the hidden folder")


def check_gate(path):
    gate = load(path)
    require(set(gate[ON]) == {"pull_request", "merge_group"}, f"{path} runs on pull requests and in merge queues")
    require(gate["permissions"] == {"contents": "read"}, f"{path} may only read")
    require("secrets." not in str(gate), f"{path} uses no secret")
    require("concurrency" in gate, f"{path}: one run per pull request")
    checkout = gate["jobs"]["baseline"]["steps"][0]["with"]
    require(checkout["ref"] == "${{ github.event.repository.default_branch }}", f"{path} executes the default branch's fetch.sh")
    check_fetching(path, gate)
    check_jobs(path, gate)
    check_uses(path, gate)
    check_scripts(path, gate)


def check_record(path):
    record = load(path)
    require(set(record[ON]) == {"push", "schedule", "workflow_dispatch"}, f"{path} never runs for a pull request")
    require(record["permissions"] == {"contents": "read"}, f"{path} may only read")
    require(record["concurrency"] == {"group": "weir-record", "cancel-in-progress": False}, f"{path}: one at a time")
    uploads = [step["with"]["name"] for step in record["jobs"]["record"]["steps"] if "upload-artifact" in step.get("uses", "")]
    fetched = [step["env"] for step in record["jobs"]["baseline"]["steps"] if "env" in step]
    require(uploads == [fetched[0]["ARTIFACT"]], f"{path} uploads the artifact that it fetches")
    gate = [step["env"] for step in load("ci/github/weir-gate.yml")["jobs"]["baseline"]["steps"] if "env" in step]
    require(gate[0]["ARTIFACT"] == uploads[0] and gate[0]["WORKFLOW"] == fetched[0]["WORKFLOW"] == path.split("/")[-1],
            f"weir-gate.yml fetches the artifact of {path}")
    check_fetching(path, record)
    check_jobs(path, record)
    check_uses(path, record)
    check_scripts(path, record)


def check_comment(path):
    comment = load(path)
    require(set(comment[ON]) == {"workflow_run"}, f"{path} runs only after the gate")
    require(comment[ON]["workflow_run"]["workflows"] == [load("ci/github/weir-gate.yml")["name"]],
            f"{path} follows weir-gate.yml by its name")
    require(comment["permissions"] == {"actions": "read", "pull-requests": "write"}, f"{path} has only the rights that it needs")
    require(not any("uses" in step for step in steps_of(comment)), f"{path} checks out no code and uses no action")
    require("pull_request_target" not in str(comment), f"{path} does not run code of the pull request with rights")
    require(comment["jobs"]["comment"]["runs-on"] == "ubuntu-latest", f"{path} writes away from measured code")
    require("concurrency" in comment, f"{path}: one comment at a time")
    check_scripts(path, comment)


def check_action(path):
    action = load(path)
    require(action["runs"]["using"] == "composite", f"{path} is composite")
    uploads = [s for s in steps_of(action) if s.get("uses", "").startswith("actions/upload-artifact@")]
    require(len(uploads) == 1 and uploads[0]["if"].startswith("always()"), f"{path} keeps the result of a red gate")
    require(uploads[0]["with"]["name"] == "${{ steps.gate.outputs.artifact }}", f"{path}: each job has its artifact")
    passed = set(re.findall(r"inputs\.([a-z]+)", str(action["runs"]["steps"][0]["env"])))
    require(passed == set(action["inputs"]), f"{path} passes each input to gate.sh")
    check_uses(path, action)
    check_scripts(path, action)


def check_gitlab(path):
    pipeline = load(path)
    gate, comment, record = pipeline["weir-gate"], pipeline["weir-comment"], pipeline["weir-record"]
    require(gate["artifacts"]["when"] == "always", f"{path} keeps the report of a red gate")
    require("junit" in gate["artifacts"]["reports"], f"{path} reports the test results")
    require(gate["allow_failure"]["exit_codes"] == [3], f"{path}: inconclusive warns")
    require("cache" not in str(pipeline), f"{path}: merge requests cannot read the caches of protected branches")
    require(comment["variables"]["GIT_STRATEGY"] == "none" and "tags" not in comment, f"{path} comments away from measured code")
    require(comment["environment"]["name"] == "weir-comment", f"{path}: the token belongs to one environment")
    require("GITLAB_TOKEN" not in str(pipeline), f"{path} passes the token to no other job")
    require(record["resource_group"], f"{path}: one job records at a time")
    require("$CI_DEFAULT_BRANCH" in record["rules"][0]["if"], f"{path} records the default branch only")


RELEASE_RIGHTS = {"contents": "write", "id-token": "write", "attestations": "write"}


def check_release(path):
    """Jobs that run code of the project may only read; the job that attests and uploads runs none of it."""
    release = load(path)
    require(release[ON] == {"push": {"tags": ["v*"]}}, f"{path} runs for tags of versions only")
    require(release["permissions"] == {"contents": "read"}, f"{path} may only read")
    require("secrets." not in str(release), f"{path} uses no secret")
    jobs = release["jobs"]
    for name, job in jobs.items():
        require("timeout-minutes" in job, f"{path}: job {name} ends in time")
        uses = [step["uses"] for step in job["steps"] if "uses" in step]
        require(all(re.fullmatch(r"actions/[a-z-]+@v\d+", use) for use in uses), f"{path}: {name} uses major versions of the platform's own actions")
        require(("permissions" in job) == (name == "release"), f"{path}: only the last job has more rights")
        checkout = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        require(all(step["with"]["persist-credentials"] is False for step in checkout), f"{path}: {name} keeps no token")
        require(bool(checkout) == (name != "release"), f"{path}: the job with rights checks out no code")
    last = jobs["release"]
    require(set(last["needs"]) == set(jobs) - {"release"}, f"{path}: both are tested before the release")
    require(last["permissions"] == RELEASE_RIGHTS, f"{path}: the last job has only the rights that it needs")
    attested = [step["with"]["subject-path"].split() for step in last["steps"] if "attest-build-provenance" in step.get("uses", "")]
    uploaded = [step["with"]["path"] for job in jobs.values() for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    require(len(attested) == 1 and sorted(x.split("/")[-1] for x in attested[0]) == sorted(x.split("/")[-1] for x in uploaded),
            f"{path} attests what it uploads: {attested} and {uploaded}")
    runs = " ".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    for script in ("ci/package.sh", "ci/package-check.sh", "ci/image-check.sh", "ci/Containerfile"):
        require(script in runs, f"{path} calls {script}")
        open(script, encoding="utf-8").close()
    check_scripts(path, release)


def check_containerfile(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    stages = [line for line in lines if line[0] == "FROM"]
    require([line[1] for line in stages] == ["debian:bookworm-slim"] * 2, f"{path} has two stages on Debian 12")
    last = lines[len(lines) - lines[::-1].index(stages[-1]):]
    copies = [line for line in last if line[0] == "COPY"]
    require(copies and all(line[1] == "--from=" + stages[0][3] for line in copies), f"{path}: the image gets nothing but the package")


class Unique(yaml.SafeLoader):
    """Refuses a key that occurs twice, which YAML forbids and PyYAML takes."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        require(len(keys) == len(set(keys)), f"{self.name}: keys occur once, {keys}")
        return super().construct_mapping(node, deep)


def check_keys(path):
    with open(path, encoding="utf-8") as file:
        yaml.load(file, Unique)


def main():
    if sys.argv[1] == "check":
        for path in sorted(glob.glob("ci/*/*.yml") + glob.glob(".github/workflows/*.yml")):
            check_keys(path)
        check_gate("ci/github/weir-gate.yml")
        check_record("ci/github/weir-record.yml")
        check_comment("ci/github/weir-comment.yml")
        check_action("ci/github/action.yml")
        check_gitlab("ci/gitlab/weir.yml")
        check_release(".github/workflows/release.yml")
        check_containerfile("ci/Containerfile")
        return
    script = at(load(sys.argv[2]), sys.argv[3])
    print("\n".join(script) if isinstance(script, list) else script)


if __name__ == "__main__":
    main()
