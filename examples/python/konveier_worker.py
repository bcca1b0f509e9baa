"""A Konveier worker in Python 3.9 or newer, standard library only.

    worker = Worker("http://localhost:8085", token, queues=["default"])

    @worker.handler("email.send")
    def send(job):
        job.progress(50, "connected")
        receipt = job.step("send", lambda: connection.send(job.payload["to"]))  # later attempts skip it
        return {"sent": job.payload["to"], "receipt": receipt}

    worker.run()        # until SIGTERM or SIGINT

A job is run at least once: when this process dies, another attempt follows. Give `job.token`, a number that grows
with every claim, to the systems that the handler writes to, where they can refuse a smaller one.
"""

import calendar
import http.client
import json
import logging
import os
import random
import signal
import socket
import threading
import time
import traceback
import urllib.parse
import uuid

log = logging.getLogger("konveier")

WAIT_MS = 10_000
REQUEST_SECONDS = 15
LAST_QUESTION_SECONDS = 2


class NonRetryable(Exception):
    """Raised by a handler: the job is dead at once, whatever is left of its attempts."""


class RetryAfter(Exception):
    """Raised by a handler: the attempt failed, and the next one comes after so many seconds."""

    def __init__(self, seconds, message="try again later"):
        super().__init__(message)
        self.seconds = seconds


class Snooze(Exception):
    """Raised by a handler: run the job again after so many seconds. The attempt does not count."""

    def __init__(self, seconds):
        super().__init__(f"snoozed for {seconds} s")
        self.seconds = seconds


class WaitForJobs(Exception):
    """Raised by job.wait_for(); let it pass. The job runs again, from its beginning, when the others have ended."""

    def __init__(self, refs):
        super().__init__(f"waits for {', '.join(refs)}")
        self.refs = refs


class LeaseLost(Exception):
    """The job is no longer ours: its lease ended, it was cancelled, or it was deleted. Stop working on it."""


class Refused(Exception):
    """The server understood the request and refuses it. `code` says why."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status = status
        self.code = problem.get("code")


class Unreachable(Exception):
    """No answer, or one that says to try again later (after `after` seconds at the least)."""

    def __init__(self, message, after=0.0):
        super().__init__(message)
        self.after = after


class Api:
    """Sends single requests. Knows what may be tried again, and leaves it to the callers to do so."""

    def __init__(self, url, token):
        self._url = urllib.parse.urlsplit(url.rstrip("/"))
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path, body, seconds=REQUEST_SECONDS, sent=lambda connection: None):
        """`sent` gets the connection once the request is on its way: whoever shuts its socket ends the wait."""
        https = self._url.scheme == "https"
        connect = http.client.HTTPSConnection if https else http.client.HTTPConnection
        connection = connect(self._url.netloc, timeout=seconds)
        try:
            connection.request("POST", self._url.path + path, json.dumps(body).encode(), self._headers)
            sent(connection)
            response = connection.getresponse()
            text = response.read()
            if response.status >= 300:
                raise self._refusal(response, text)
            return json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"{self._url.netloc}: {error}") from error
        finally:
            connection.close()

    @staticmethod
    def _refusal(response, text):
        try:
            problem = json.loads(text)
        except ValueError:
            status = response.status
            problem = {"code": "no_problem_document", "detail": response.reason, "retryable": status >= 500}
        if problem.get("retryable"):
            after = response.headers.get("Retry-After", "")
            return Unreachable(f"{response.status} {problem.get('code')}", float(after) if after.isdigit() else 0.0)
        return Refused(response.status, problem)


def pause_seconds(failures, error):
    """0.5 s, doubled with every failure up to 30 s, all of it random, and no less than the server asked for."""
    return error.after + random.uniform(0, min(0.5 * 2 ** (failures - 1), 30.0))


class Job:
    """One attempt of a job, as its handler sees it."""

    def __init__(self, api, view, deadline):
        self._api = api
        self.id, self.name, self.queue = view["id"], view["name"], view["queue"]
        self.payload, self.attempt, self.token = view["payload"], view["attempt"], view["token"]
        self.lease_token = view["leaseToken"]
        # Headers of W3C Trace Context from where the job was enqueued, or None: link your span to them.
        self.traceparent, self.tracestate = view["traceparent"], view["tracestate"]
        # By the monotonic clock: what the wall clock shows may jump.
        self.deadline = deadline
        limit = view["timeoutMs"]
        self.time_limit = None if limit is None else time.monotonic() + limit / 1000
        self.lost = None  # why the lease is lost, once it is
        self.decided = False  # somebody has said how the attempt ends
        self._stop = threading.Event()
        self._log_lock = threading.Lock()
        self._log_batches = 0
        self._step_lock = threading.Lock()
        self._step_thread = None  # the thread that does a step right now

    @property
    def stopped(self):
        """Whether the handler should end: the lease is lost, the time is over, or the worker stops."""
        return self._stop.is_set()

    def wait(self, seconds):
        """Like time.sleep(), but returns early, and True, when the handler should end."""
        return self._stop.wait(seconds)

    def stop(self):
        self._stop.set()

    def lose(self, reason):
        self.lost = self.lost or reason
        self.stop()

    def timed_out(self):
        return self.time_limit is not None and time.monotonic() >= self.time_limit

    def progress(self, percent, message=None):
        body = {"percent": percent} if message is None else {"percent": percent, "message": message}
        self._post("progress", body)

    def log(self, message, level="info"):
        # One after another: the server drops a batch whose number is not larger than the last one's.
        with self._log_lock:
            self._log_batches += 1
            self._post("logs", {"seq": self._log_batches, "lines": [{"level": level, "message": message}]})

    def step(self, name, work):
        """What `work()` gives. It is stored, and later attempts of the job get that and do not call `work` again.

        When the process dies between the work and its storing, it is done again. The name tells the step from the
        others of the job; they are done one after another.
        """
        if self._step_thread == threading.get_ident():
            raise RuntimeError(f"step {name!r} was called inside of another one: call one after the other")
        with self._step_lock:
            self._step_thread = threading.get_ident()
            try:
                return self._do_step(name, work)
            finally:
                self._step_thread = None

    def _do_step(self, name, work):
        found = self._post("steps/find", {"name": name})
        if found["found"]:
            return found.get("result")
        if self.stopped:
            raise LeaseLost(f"job {self.id} may not go on here")
        result = work()
        body = {"name": name} if result is None else {"name": name, "result": result}
        try:
            text = json.dumps(result, allow_nan=False)
            self._post("steps", body)
        except (TypeError, ValueError, Refused) as error:
            # Every further attempt would do it once more: there must not be any.
            raise NonRetryable(f"step {name!r} is done, but what it gave cannot be stored: {error}") from error
        # As it came back from JSON: an attempt that skips the step sees the same.
        return json.loads(text)

    def add_jobs(self, jobs):
        """Adds jobs to the flow of this one. Refs that it has already are left as they are."""
        self._post("flow-jobs", {"jobs": list(jobs)})

    def wait_for(self, refs):
        """Goes on when these jobs of the flow have ended; until then the handler ends, and runs again later."""
        refs = list(refs)
        if refs and self._post("wait", {"refs": refs, "check": True})["waiting"]:
            raise WaitForJobs(refs)

    def dependencies(self):
        """What this job depends on or has waited for: id, ref, state, and the result of one that completed with one."""
        place = {}
        while place is not None:
            page = self._post("dependencies", place)
            yield from page["items"]
            place = None if page["nextCursor"] is None else {"cursor": page["nextCursor"]}

    def _post(self, verb, body):
        """Tried again while the lease lasts: all of these may be said twice."""
        failures = 0
        while self.lost is None:
            try:
                return self._api.post(f"/v1/jobs/{self.id}/{verb}", {"leaseToken": self.lease_token, **body})
            except Refused as error:
                if error.code != "lease_lost":
                    raise
                self.lose("reclaimed")
            except Unreachable as error:
                failures += 1
                if time.monotonic() >= self.deadline:
                    self.lose("reclaimed")
                time.sleep(min(pause_seconds(failures, error), max(0.0, self.deadline - time.monotonic())))
        raise LeaseLost(f"job {self.id} is no longer held: {self.lost}")

    def acknowledge(self, verb, body):
        try:
            self._post(verb, body)
        except LeaseLost:
            pass  # Somebody else decides what becomes of the job now.


class Worker:
    def __init__(self, url, token, queues=("default",), slots=4, lease_ms=30_000, grace_seconds=10.0, worker_id=None):
        self._api = Api(url, token)
        self._queues, self._slots, self._lease_ms = list(queues), slots, lease_ms
        self._grace_seconds = grace_seconds
        self.id = worker_id or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self._handlers = {}
        self._held = {}  # by job id: what we hold and have not acknowledged
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._signalled = False
        self._waiting_claim = None  # the connection of a claim that waits at the server
        self._failure = None

    def handler(self, name):
        """Decorator: jobs of this name are run by the function. What it returns is kept as the result."""

        def register(function):
            self._handlers[name] = function
            return function

        return register

    def stop(self):
        """Claims no more; running handlers get the grace, then their jobs are given back."""
        self._stopping.set()

    def _on_signal(self, *_):
        # No more than this: the main thread, which runs it, may be holding any lock, also that of an Event.
        self._signalled = True

    def run(self):
        """Works until stop(), SIGTERM or SIGINT. Raises Refused when the server does not take this worker."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, self._on_signal)
        done = threading.Event()
        heartbeats = threading.Thread(target=self._keep_leases, args=(done,), daemon=True)
        claims = threading.Thread(target=self._claim_jobs, daemon=True)
        heartbeats.start()
        claims.start()
        # Short waits: in the main thread Python runs signal handlers only between them.
        while not self._signalled and not self._stopping.wait(0.2):
            pass
        self.stop()
        self._interrupt_claim()
        # First no job may come any more. A claim that still waited would get the very jobs that are given back.
        claims.join(2 * LAST_QUESTION_SECONDS)
        self._finish()
        done.set()
        if self._failure is not None:
            raise self._failure

    def _finish(self):
        self._wait_until_idle(self._grace_seconds)
        for job in self._jobs():
            job.stop()
        self._wait_until_idle(0.5)
        for job in self._jobs():
            self._end(job, "release", {})
        self._wait_until_idle(5.0)  # What others are acknowledging right now.

    def _wait_until_idle(self, seconds):
        with self._changed:
            self._changed.wait_for(lambda: not self._held, timeout=seconds)

    def _jobs(self):
        with self._changed:
            return list(self._held.values())

    def _end(self, job, verb, body):
        """Says how the attempt ended, unless that is decided already."""
        if self._decide(job):
            self._say(job, verb, body)

    def _decide(self, job):
        """Whether the caller is the one who may say how the attempt ended."""
        with self._changed:
            first = not job.decided
            job.decided = True
        return first

    def _say(self, job, verb, body):
        """Until it is said, the lease is kept."""
        if job.lost is None:
            job.acknowledge(verb, body)
        self._drop(job)

    def _drop(self, job):
        with self._changed:
            job.decided = True
            self._held.pop(job.id, None)
            self._changed.notify_all()

    # Claims

    def _claim_jobs(self):
        while not self._stopping.is_set():
            with self._changed:
                self._changed.wait_for(lambda: len(self._held) < self._slots or self._stopping.is_set(), timeout=0.5)
                free = self._slots - len(self._held)
            if free > 0 and not self._stopping.is_set():
                self._claim(free)

    def _claim(self, free):
        """One claim, made again under the same claimId until it is answered: no job is stranded by a lost answer."""
        request = {
            "workerId": self.id,
            "claimId": uuid.uuid4().hex,
            "queues": self._queues,
            "names": list(self._handlers),
            "max": free,
            # A lease is counted from before the request, so the wait must leave most of it.
            "waitMs": min(WAIT_MS, self._lease_ms // 3),
            "leaseMs": self._lease_ms,
        }
        failures = 0
        while not self._stopping.is_set():
            try:
                self._ask(request, REQUEST_SECONDS + request["waitMs"] / 1000)
                if failures > 0:
                    log.warning("the server answers again")
                return
            except Unreachable as error:
                failures += 1
                # A stop closes the connection of a claim that waits.
                if failures == 1 and not self._stopping.is_set():
                    log.warning("no claim could be made, trying again: %s", error)
                self._stopping.wait(pause_seconds(failures, error))
            except Refused as error:
                self._failure = error
                self.stop()
                return
        self._collect(request)

    def _collect(self, request):
        """At a stop: whatever the interrupted claim was answered is given back, not left to its lease."""
        try:
            self._ask({**request, "waitMs": 0}, LAST_QUESTION_SECONDS)
        except (Unreachable, Refused):
            pass  # Nobody knows whether there are any; if so, their leases end by themselves.

    def _ask(self, request, seconds):
        sent_at = time.monotonic()
        sent = self._claim_waits if request["waitMs"] > 0 else lambda connection: None
        answer = self._api.post("/v1/claim", request, seconds, sent)
        for view in answer["jobs"]:
            self._begin(view, sent_at + milliseconds_left(view, answer["serverTime"]) / 1000)

    def _claim_waits(self, connection):
        with self._changed:
            self._waiting_claim = connection
        # The stop may have come just before, and found nothing to interrupt.
        if self._stopping.is_set():
            self._interrupt_claim()

    def _interrupt_claim(self):
        with self._changed:
            connection, self._waiting_claim = self._waiting_claim, None
        waiting = None if connection is None else connection.sock
        try:
            if waiting is not None:
                waiting.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The answer has come meanwhile.

    def _begin(self, view, deadline):
        job = Job(self._api, view, deadline)
        with self._changed:
            self._held[job.id] = job
        threading.Thread(target=self._execute, args=(job,), daemon=True).start()

    # Handlers

    def _execute(self, job):
        if self._stopping.is_set():
            self._end(job, "release", {})
        else:
            self._end(job, *self._outcome(job))

    def _outcome(self, job):
        try:
            result = self._handlers[job.name](job)
            return "complete", self._result(job, result)
        except Snooze as snooze:
            return "snooze", {"delayMs": round(snooze.seconds * 1000)}
        except WaitForJobs as waiting:
            return "wait", {"refs": waiting.refs}
        except LeaseLost:
            return "release", {}
        except Exception as error:  # Whatever a handler raises fails the attempt.
            if self._stopping.is_set() and job.stopped:
                return "release", {}
            text = {"type": type(error).__name__, "message": str(error), "stack": traceback.format_exc()}
            if isinstance(error, NonRetryable):
                return "fail", {"error": text, "retry": "never"}
            if isinstance(error, RetryAfter):
                return "fail", {"error": text, "retry": {"delayMs": round(error.seconds * 1000)}}
            return "fail", {"error": text}

    @staticmethod
    def _result(job, result):
        if result is None:
            return {}
        try:
            json.dumps(result, allow_nan=False)
            return {"result": result}
        except (TypeError, ValueError) as error:
            # The work is done: a result that cannot be sent must not make it run again.
            job.log(f"the result is not kept: {error}", "warn")
            return {}

    # Leases

    def _keep_leases(self, done):
        """Extends all leases in one request, every third of a lease and at least every ten seconds."""
        interval = min(self._lease_ms / 3, 10_000) / 1000
        next_beat = time.monotonic() + interval
        while not done.wait(min(0.2, interval / 2)):
            self._check_time_limits()
            if time.monotonic() >= next_beat:
                reached = self._beat(max(interval, 0.5))
                next_beat = time.monotonic() + (interval if reached else min(interval, 0.5))

    def _check_time_limits(self):
        for job in self._jobs():
            if time.monotonic() >= job.deadline:
                job.lose("reclaimed")  # The server may have given it to somebody else by now.
                self._drop(job)
            elif job.timed_out() and self._decide(job):
                # Decided before the handler hears of it: what it raises when it stops is not the reason.
                job.stop()
                error = {"type": "Timeout", "message": "The attempt took longer than the job allows"}
                threading.Thread(target=self._say, args=(job, "fail", {"error": error}), daemon=True).start()

    def _beat(self, seconds):
        jobs = self._jobs()
        leases = [{"id": job.id, "leaseToken": job.lease_token} for job in jobs]
        body = {"workerId": self.id, "leaseMs": self._lease_ms, "leases": leases}
        deadline = time.monotonic() + self._lease_ms / 1000
        try:
            results = self._api.post("/v1/heartbeat", body, seconds)["results"]
        except (Unreachable, Refused):
            return False
        for job, result in zip(jobs, results):
            if result["ok"]:
                job.deadline = deadline
            else:
                job.lose(result["reason"])
                self._drop(job)
        return True


def milliseconds_left(view, server_time):
    """What is left of a lease, by the server's clock alone."""
    return parse_ms(view["leaseExpiresAt"]) - parse_ms(server_time)


def parse_ms(instant):
    """Milliseconds of an instant such as 2026-01-05T09:00:00.000Z."""
    whole, fraction = instant.rstrip("Z").split(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 1000 + int(fraction)
