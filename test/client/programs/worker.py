"""The jobs of the conformance test, run by the example worker. Says what it does on its standard output."""

import json
import sys

sys.path.insert(0, sys.argv[2])

from konveier_worker import NonRetryable, Worker  # noqa: E402

# Threads take turns as often as they can: a race between two of them shows.
sys.setswitchinterval(1e-6)

options = json.loads(sys.argv[1])
worker = Worker(
    options["url"],
    options["token"],
    worker_id=options["id"],
    lease_ms=options["leaseMs"],
    grace_seconds=0.1,
)


def say(*words):
    print(*words, flush=True)


@worker.handler("double")
def double(job):
    job.progress(50, "half")
    job.log("doubling")
    return {"doubled": job.payload["x"] * 2}


@worker.handler("flaky")
def flaky(job):
    if job.attempt == 1:
        raise RuntimeError("the first attempt fails")
    return job.attempt


@worker.handler("steps")
def steps(job):
    def do(name, result=None):
        say("did", name, job.attempt)
        return result

    first = job.step("first", lambda: do("first", {"attempt": job.attempt}))
    second = job.step("second", lambda: do("second"))
    if job.attempt == 1:
        raise RuntimeError("the first attempt fails")
    try:
        job.step("outer", lambda: job.step("inner", lambda: None))
    except RuntimeError as error:
        return [first, second, str(error)]


@worker.handler("unstorable")
def unstorable(job):
    return job.step("it", lambda: float("nan"))


@worker.handler("hopeless")
def hopeless(job):
    raise NonRetryable("never")


@worker.handler("hang")
def hang(job):
    say("began", job.id, job.attempt)
    while not job.wait(1):
        pass
    say("stopped", job.id, job.attempt)
    raise RuntimeError("stopped")


@worker.handler("trace")
def trace(job):
    return [job.traceparent, job.tracestate]


@worker.handler("parent")
def parent(job):
    job.add_jobs([{"ref": ref, "name": "double", "payload": {"x": x}} for ref, x in (("a", 1), ("b", 2))])
    job.wait_for(["a", "b"])
    return [[done["ref"], done["state"], done["result"]] for done in job.dependencies()]


say("ready")
worker.run()
