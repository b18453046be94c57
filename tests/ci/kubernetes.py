#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubernetes.py WEIR: tests ci/cluster/kubernetes.yaml without a cluster.

Both jobs fit the schema in tests/schemas, which refuses mistyped members; numbers and volumes that belong together agree; and the
commands of the containers, executed once per index with the variables of the manifest, give the report of weir classify.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

import jsonschema
import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
MISSING = 3     # the index that is left out in the second turn
RANKS = 8       # instead of those of the manifest, to be quick


def fail(text):
    sys.exit(f"kubernetes.py: {text}")


def container_of(job):
    return job["spec"]["template"]["spec"]["containers"][0]


def check_schema(jobs):
    with open(f"{ROOT}/tests/schemas/kubernetes.job.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for job in jobs:
        for error in validator.iter_errors(job):
            fail(f"{job['metadata']['name']}: {error.json_path}: {error.message}")
    for change in (lambda job: job["spec"].update(completion=64), lambda job: job["spec"].update(completionMode="indexed"),
                   lambda job: job["spec"]["template"]["spec"].update(restartPolicy="Always"),
                   lambda job: job["spec"]["template"]["spec"].update(restartPolicy="OnFailure"),
                   lambda job: job["spec"].pop("completions"),
                   lambda job: container_of(job)["env"][0].update(value=64),
                   lambda job: container_of(job)["volumeMounts"][0].update(mountPath="data")):
        broken = copy.deepcopy(jobs[0])
        change(broken)
        if validator.is_valid(broken):
            fail("the schema accepts a broken job")


def check_agreement(part, merge):
    ranks = part["spec"]["completions"]
    if variables(part)["WEIR_TASKS"] != str(ranks) or container_of(merge)["command"][3] != str(ranks):
        fail(f"the manifest has several numbers of ranks: {ranks}, {variables(part)['WEIR_TASKS']}, {container_of(merge)['command'][3]}")
    for job in (part, merge):
        volumes = {volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]}
        mounts = {mount["name"] for mount in container_of(job)["volumeMounts"]}
        if volumes != mounts:
            fail(f"{job['metadata']['name']}: volumes {volumes}, mounts {mounts}")


def variables(job):
    return {variable["name"]: variable["value"] for variable in container_of(job)["env"]}


def play(job, folder, weir, **changes):
    """Executes the command of a job's container with its volumes below a folder."""
    mounts = {"/data/": f"{folder}/", "/scripts/": f"{ROOT}/ci/cluster/"}
    command = []
    for word in container_of(job)["command"]:
        for mount, place in mounts.items():
            word = place + word[len(mount):] if word.startswith(mount) else word
        command.append(str(RANKS) if word == str(job["ranks"]) else word)
    environment = {"PATH": f"{os.path.dirname(weir)}:/usr/bin:/bin", **variables(job), **changes}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def check_run(part, merge, weir):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{ROOT}/tests/ci/ranks.py", f"{folder}/traces", str(RANKS)], check=True)
        expected = subprocess.run([weir, "classify", f"{folder}/traces", "-f", "json"], stdout=subprocess.PIPE, check=True).stdout
        for index in (i for i in range(RANKS) if i != MISSING):
            done = play(part, folder, weir, WEIR_TASKS=str(RANKS), JOB_COMPLETION_INDEX=str(index))
            if done.returncode or len(os.listdir(f"{folder}/parts")) != index + (index < MISSING):
                fail(f"index {index} exits with {done.returncode}: {done.stdout.decode()}")
        done = play(merge, folder, weir, WEIR_WAIT_S="1")
        if done.returncode != 6 or f"of {RANKS} ranks these are missing: {MISSING}\n" not in done.stdout.decode():
            fail(f"without a rank, the merge exits with {done.returncode}: {done.stdout.decode()}")
        play(part, folder, weir, WEIR_TASKS=str(RANKS), JOB_COMPLETION_INDEX=str(MISSING))
        done = play(merge, folder, weir)
        with open(f"{folder}/report.json", "rb") as file:
            if done.returncode or file.read() != expected:
                fail(f"the merge exits with {done.returncode}, or its report differs: {done.stdout.decode()}")
        if not os.path.exists(f"{folder}/report.html"):
            fail("no report.html")


def main():
    with open(f"{ROOT}/ci/cluster/kubernetes.yaml", encoding="utf-8") as file:
        part, merge = yaml.safe_load_all(file)
    check_schema([part, merge])
    check_agreement(part, merge)
    ranks = part["spec"]["completions"]
    part["ranks"] = merge["ranks"] = ranks
    check_run(part, merge, os.path.abspath(sys.argv[1]))
    return 0


sys.exit(main())
