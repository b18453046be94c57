#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the pipeline files and prints the shell scripts in them.

pipelines.py check                checks the files of ci/github and ci/gitlab
pipelines.py script FILE PLACE    prints one script; PLACE is a path like jobs.comment.steps.0.run
"""
import sys

import yaml

# YAML 1.1 reads the key `on` as a truth value.
ON = True


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def at(value, place):
    for key in place.split("."):
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


def check_gate(path):
    gate = load(path)
    require(set(gate[ON]) == {"pull_request"}, f"{path} runs on pull_request only")
    require(gate["permissions"] == {"contents": "read"}, f"{path} may only read")
    require("secrets." not in str(gate), f"{path} uses no secret")
    require("concurrency" in gate, f"{path}: one run per pull request")
    check_scripts(path, gate)


def check_comment(path):
    comment = load(path)
    require(set(comment[ON]) == {"workflow_run"}, f"{path} runs only after the gate")
    require(comment[ON]["workflow_run"]["workflows"] == [load("ci/github/weir-gate.yml")["name"]],
            f"{path} follows weir-gate.yml by its name")
    require(comment["permissions"] == {"actions": "read", "pull-requests": "write"}, f"{path} has only the rights that it needs")
    require(not any("uses" in step for step in steps_of(comment)), f"{path} checks out no code and uses no action")
    require("pull_request_target" not in str(comment), f"{path} does not run code of the pull request with rights")
    require("concurrency" in comment, f"{path}: one comment at a time")
    check_scripts(path, comment)


def check_action(path):
    action = load(path)
    require(action["runs"]["using"] == "composite", f"{path} is composite")
    uploads = [s for s in steps_of(action) if s.get("uses", "").startswith("actions/upload-artifact@")]
    require(len(uploads) == 1 and uploads[0]["if"] == "always()", f"{path} keeps the result of a red gate")
    check_scripts(path, action)


def check_gitlab(path):
    pipeline = load(path)
    require(pipeline["weir-gate"]["artifacts"]["when"] == "always", f"{path} keeps the report of a red gate")
    require("junit" in pipeline["weir-gate"]["artifacts"]["reports"], f"{path} reports the test results")
    require(pipeline["weir-gate"]["allow_failure"]["exit_codes"] == [3], f"{path}: inconclusive warns")
    require("$GITLAB_TOKEN" in pipeline["weir-comment"]["rules"][0]["if"], f"{path} comments only with a token")


def main():
    if sys.argv[1] == "check":
        check_gate("ci/github/weir-gate.yml")
        check_comment("ci/github/weir-comment.yml")
        check_action("ci/github/action.yml")
        check_gitlab("ci/gitlab/weir.yml")
        return
    script = at(load(sys.argv[2]), sys.argv[3])
    print("\n".join(script) if isinstance(script, list) else script)


if __name__ == "__main__":
    main()
