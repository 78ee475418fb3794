"""A worker of Foothold in Python: the reference client of the work protocol, version 1.

One file, the standard library alone, Python 3.9 or later. The server has the definitions: it makes the plan, commits an attempt
before it is told here, and sorts what failed. This side runs what it is told, under the lease that it keeps, and reports.

    worker = Worker("http://127.0.0.1:4680", runs="python")

    @worker.step("scoring", "score")
    def score(task: Task) -> object:
        return task.send("POST", "http://models.example.com/score", task.request).body

    worker.run()  # until SIGTERM or SIGINT
"""

from __future__ import annotations

import errno
import http.client
import json
import logging
import platform
import secrets
import signal
import socket
import threading
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple, Union

PROTOCOL = 1
BODY_BYTES_MAX = 64_000
TEXT_CHARS_MAX = 10_000
LINE_CHARS_MAX = 200
RETRY_SECONDS_FIRST = 0.2
RETRY_SECONDS_MAX = 5.0

log = logging.getLogger("foothold")


@dataclass(frozen=True)
class Answer:
    """What a destination answered with success."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Happened:
    """A check found that it took effect."""

    result: Any
    evidence: Any = None
    fingerprint: Optional[str] = None


@dataclass(frozen=True)
class Differs:
    """Something is there under our key or name, and it is not what was wanted."""

    why: str
    evidence: Any = None


@dataclass(frozen=True)
class DidNotHappen:
    """It is not there."""


@dataclass(frozen=True)
class CannotTell:
    """It cannot be told now."""

    why: str


Checked = Union[Happened, Differs, DidNotHappen, CannotTell]


class Failed(Exception):
    """A send that failed. `sent`: "no" = nothing had left, "answered" = `status` and `body` say what came, else "maybe"."""

    def __init__(
        self,
        message: str,
        *,
        sent: str = "maybe",
        code: Optional[str] = None,
        status: Optional[int] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Any = None,
        stopped: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.sent = sent
        self.code = code
        self.status = status
        self.headers = headers
        self.body = body
        self.stopped = stopped


class Refused(Exception):
    """The server understood a request and does not take it: it would be refused again."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code


@dataclass
class Life:
    """One registration: its secret, its lease, and the claims that it has or has asked for."""

    key: str
    holder_id: str
    trust_seconds: float
    beat_seconds: float
    lock: threading.Lock = field(default_factory=threading.Lock)
    holds: Set[str] = field(default_factory=set)
    lost: Set[str] = field(default_factory=set)
    trusted_until: Tuple[float, float] = (0.0, 0.0)
    is_over: bool = False

    def trust_from(self, sent_at: Tuple[float, float]) -> None:
        """Trust counts from when the beat was sent, by the monotonic and by the wall clock."""
        self.trusted_until = (sent_at[0] + self.trust_seconds, sent_at[1] + self.trust_seconds)

    def seconds_left(self) -> float:
        if self.is_over:
            return 0.0
        monotonic, wall = clocks()
        return min(self.trusted_until[0] - monotonic, self.trusted_until[1] - wall)

    def named(self) -> List[str]:
        with self.lock:
            return sorted(self.holds)

    def hold(self, *claim_ids: str) -> None:
        with self.lock:
            self.holds.update(claim_ids)

    def drop(self, *claim_ids: str) -> None:
        with self.lock:
            self.holds.difference_update(claim_ids)
            self.lost.difference_update(claim_ids)


@dataclass
class Task:
    """One thing to do for one case. The request is all that the step is given."""

    case_id: str
    case_type: str
    claim_id: str
    name: str
    step: str
    key: Optional[str]
    ask: str
    attempt: int
    request: Any
    idempotency_key: str
    fencing_token: int
    fingerprint: str
    undoes: Optional[Mapping[str, Any]]
    life: Life
    deadline: float
    """By the monotonic clock."""
    requests: int = 0

    def seconds_left(self) -> float:
        """How long the task may go on: to its deadline, as long as the lease can be trusted. Heartbeats extend the latter."""
        if self.claim_id in self.life.lost:
            return 0.0
        return min(self.deadline - time.monotonic(), self.life.seconds_left())

    def stopped(self) -> Optional[str]:
        """Why nothing more may be sent; None = it may."""
        if self.seconds_left() > 0:
            return None
        return "deadline" if self.deadline <= time.monotonic() else "lease"

    def send(
        self, method: str, url: str, body: Any = None, headers: Optional[Mapping[str, str]] = None
    ) -> Answer:
        """Sends JSON with the idempotency key, once. Raises `Failed`, which says whether anything left."""
        stopped = self.stopped()
        if stopped is not None:
            raise Failed("nothing may be sent any more", sent="no", stopped=stopped)
        parts = urllib.parse.urlsplit(url)
        secure = parts.scheme == "https"
        connection_of = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connection_of(parts.hostname or "", parts.port, timeout=self.seconds_left())
        try:
            try:
                connection.connect()
            except OSError as error:
                raise Failed(str(error), sent="no", code=code_of(error)) from error
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            sent = {"content-type": "application/json", "idempotency-key": self.idempotency_key}
            self.requests += 1
            try:
                data = None if body is None else json.dumps(body).encode()
                connection.request(method, target, data, {**sent, **(headers or {})})
                response = connection.getresponse()
                text = response.read(BODY_BYTES_MAX).decode("utf-8", "replace")
            except (OSError, http.client.HTTPException) as error:
                raise Failed(str(error), code=code_of(error), stopped=self.stopped()) from error
            told = {name.lower(): value for name, value in response.getheaders()}
            value = json_or_text(text)
            if response.status < 200 or response.status >= 300:
                what = f"{parts.hostname} answered {response.status}"
                raise Failed(what, sent="answered", status=response.status, headers=told, body=value)
            return Answer(response.status, told, value)
        finally:
            connection.close()


Handler = Callable[[Task], Any]


class Worker:
    """Claims work, runs it in a few threads, and stops in order on SIGTERM and SIGINT."""

    def __init__(
        self,
        server: str,
        runs: str,
        *,
        token: Optional[str] = None,
        name: Optional[str] = None,
        build: str = "",
        places: int = 4,
        wait_seconds: float = 2.0,
        grace_seconds: float = 30.0,
    ) -> None:
        self._base = f"{server.rstrip('/')}/api/v1"
        self._runs = runs
        self._token = token
        self._name = name or f"{runs}-{secrets.token_hex(3)}"
        self._build = ", ".join(one for one in (f"python {platform.python_version()}", build) if one)
        self._places = places
        self._wait_seconds = wait_seconds
        self._grace_seconds = grace_seconds
        self._give_up_at: Optional[float] = None
        self._handlers: Dict[Tuple[str, str, str], Tuple[Handler, bool]] = {}
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._freed = threading.Condition()
        self._running: Set[str] = set()

    def step(
        self, case_type: str, step: str, ask: str = "run", *, http_alone: bool = False
    ) -> Callable[[Handler], Handler]:
        """Says what runs a step; `ask` is run, check, undo or checkUndo. `http_alone`: it sends by `task.send` and nothing else,
        so that what it raises before it has sent is known to have sent nothing."""

        def take(handler: Handler) -> Handler:
            self._handlers[(case_type, step, ask)] = (handler, http_alone)
            return handler

        return take

    def stop(self) -> None:
        """Takes nothing more; what runs is finished first. A server that does not answer is given up on after a while."""
        if self._give_up_at is None:
            self._give_up_at = time.monotonic() + self._grace_seconds
        self._stopping.set()

    def run(self) -> None:
        """Works until it is stopped. Raises `Refused` where the server does not take this worker at all."""
        if threading.current_thread() is threading.main_thread():
            for one in (signal.SIGTERM, signal.SIGINT):
                signal.signal(one, lambda *_: self.stop())
        life = self._register()
        self._life = life
        threading.Thread(target=self._beat, daemon=True).start()
        with ThreadPoolExecutor(max_workers=self._places) as threads:
            while not self._stopping.is_set():
                free = self._free_places()
                if free > 0:
                    self._claim(threads, free)
        self._ended.set()
        self._call("/work/goodbyes", {"workerKey": self._life.key})

    def _free_places(self) -> int:
        with self._freed:
            if len(self._running) >= self._places:
                self._freed.wait(0.5)
            return min(16, self._places - len(self._running))

    def _register(self) -> Life:
        worker = {"name": self._name, "host": socket.gethostname()[:LINE_CHARS_MAX], "build": self._build}
        told, sent_at = self._call("/work/workers", {"protocol": PROTOCOL, "runs": self._runs, **worker})
        life = Life(told["workerKey"], told["holderId"], told["trustMs"] / 1000, told["beatEveryMs"] / 1000)
        life.trust_from(sent_at)
        types = ", ".join(one["name"] for one in told["caseTypes"])
        log.info("%s works on %s as %s", self._name, types, life.holder_id)
        return life

    def _beat(self) -> None:
        while not self._ended.wait(self._life.beat_seconds):
            life = self._life
            with self._freed:
                begun = set(self._running)
            try:
                told, sent_at = self._ask("/work/beats", {"workerKey": life.key, "holds": life.named()}, 5.0)
            except (OSError, http.client.HTTPException, Refused) as error:
                log.warning("no heartbeat: %s", error)
                continue
            if told["kind"] == "alive":
                life.trust_from(sent_at)
                with life.lock:
                    # What is being asked for may not have been claimed yet when the beat was answered.
                    life.lost = set(told["lost"]) & begun
                continue
            # The sweep ended this life: whoever was freed by it never comes back, and a new one begins.
            life.is_over = True
            log.warning("%s was taken for lost; it registers anew", self._name)
            try:
                self._life = self._register()
            except Refused as error:
                log.error("not registered: %s", error)
                self.stop()
                return

    def _claim(self, threads: ThreadPoolExecutor, count: int) -> None:
        life = self._life
        # Known before they are asked for: the same request again brings the same cases.
        claim_ids = [secrets.token_hex(20) for _ in range(count)]
        life.hold(*claim_ids)
        order = {"workerKey": life.key, "runs": self._runs, "claimIds": claim_ids}
        told, sent_at = self._call("/work/claims", {**order, "waitMs": int(self._wait_seconds * 1000)})
        if told["kind"] == "ended":
            life.is_over = True
            self._stopping.wait(life.beat_seconds)
            return
        tasks = [task_of(one, life, sent_at, told["heldMs"]) for one in told["tasks"]]
        life.drop(*(set(claim_ids) - {task.claim_id for task in tasks}))
        for task in tasks:
            with self._freed:
                if task.claim_id in self._running:
                    continue
                self._running.add(task.claim_id)
            threads.submit(self._work_on, task)

    def _work_on(self, first: Task) -> None:
        """Works on one case as long as there is something to do for it."""
        life, task = first.life, first
        try:
            while True:
                answer = self._answer(task)
                told, sent_at = self._report(task, answer)
                if told["kind"] == "late":
                    log.warning("%s of %s was reported too late; it is kept as evidence", task.step, task.case_id)
                following = told.get("next")
                if following is None:
                    return
                task = task_of(following, life, sent_at, told["heldMs"])
        except Refused as error:
            log.error("%s of %s could not be reported: %s", task.step, task.case_id, error)
        except Exception:  # the thread's last stand: nobody else would hear of it
            log.exception("%s of %s failed here", task.step, task.case_id)
        finally:
            life.drop(first.claim_id)
            with self._freed:
                self._running.discard(first.claim_id)
                self._freed.notify_all()

    def _answer(self, task: Task) -> Dict[str, Any]:
        is_check = task.ask in ("check", "checkUndo")
        handler, http_alone = self._handlers.get((task.case_type, task.step, task.ask), (None, True))
        try:
            if self._stopping.is_set() and not is_check:
                raise Failed("the worker stops", sent="no", stopped="shutdown")
            stopped = task.stopped()
            if stopped is not None:
                raise Failed("its time was over before it began", sent="no", stopped=stopped)
            if handler is None:
                raise NotImplementedError(f"this worker has no {task.ask} for {task.step} of {task.case_type}")
            given = handler(task)
        except Exception as error:
            if is_check:
                return {"kind": "cannotTell", "why": f"{type(error).__name__}: {error}"[:500]}
            return failed_answer(error, task, http_alone)
        if is_check:
            return checked_answer(given)
        return {"kind": "confirmed", "result": storable(given), "requests": min(task.requests, 1000)}

    def _report(self, task: Task, answer: Dict[str, Any]) -> Tuple[Any, Tuple[float, float]]:
        """What happened must be told, however long that takes."""
        path = f"/cases/{urllib.parse.quote(task.case_id)}/work"
        report = {"workerKey": task.life.key, "claimId": task.claim_id, "task": task.name}
        try:
            return self._call(path, {**report, "answer": answer, "goOn": not self._stopping.is_set()})
        except Refused as error:
            if error.status not in (400, 413):
                raise
            log.error("a report on %s was refused, and is told in short: %s", task.step, error)
            return self._call(path, {**report, "answer": in_short(answer, str(error)), "goOn": False})

    def _call(self, path: str, body: Mapping[str, Any]) -> Tuple[Any, Tuple[float, float]]:
        """Asks until the server answers. Gives the answer, and when the request that was answered was sent."""
        delay = RETRY_SECONDS_FIRST
        while True:
            try:
                return self._ask(path, body, self._wait_seconds + 15)
            except (OSError, http.client.HTTPException) as error:
                if self._give_up_at is not None and time.monotonic() > self._give_up_at:
                    raise
                log.warning("the server does not answer (%s); asked again in %.1f s", error, delay)
            time.sleep(delay)
            delay = min(RETRY_SECONDS_MAX, delay * 2)

    def _ask(
        self, path: str, body: Mapping[str, Any], timeout: float
    ) -> Tuple[Any, Tuple[float, float]]:
        headers = {"content-type": "application/json"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        data = json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, headers, method="POST")
        sent_at = clocks()
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response), sent_at
        except urllib.error.HTTPError as error:
            if error.code >= 500 or error.code == 429:
                raise OSError(f"the server answered {error.code}") from error
            problem = json_or_text(error.read(BODY_BYTES_MAX).decode("utf-8", "replace"))
            told = problem if isinstance(problem, dict) else {}
            raise Refused(error.code, str(told.get("code", "")), str(told.get("detail", problem))) from error


def clocks() -> Tuple[float, float]:
    return time.monotonic(), time.time()


def task_of(told: Mapping[str, Any], life: Life, sent_at: Tuple[float, float], held_ms: int) -> Task:
    """Its time counts from when the request was sent and how long it was held there: never later than the server counts it."""
    return Task(
        case_id=told["caseId"],
        case_type=told["caseType"],
        claim_id=told["claimId"],
        name=told["task"],
        step=told["step"],
        key=told["key"],
        ask=told["ask"],
        attempt=told["attempt"],
        request=told["request"],
        idempotency_key=told["idempotencyKey"],
        fencing_token=told["fencingToken"],
        fingerprint=told["fingerprint"],
        undoes=told["undoes"],
        life=life,
        deadline=sent_at[0] + (held_ms + told["withinMs"]) / 1000,
    )


def failed_answer(error: Exception, task: Task, http_alone: bool) -> Dict[str, Any]:
    told: Dict[str, Any] = {
        "kind": "failed",
        "sent": "no" if http_alone and task.requests == 0 else "maybe",
        "name": type(error).__name__,
        "message": str(error)[:TEXT_CHARS_MAX],
        "stack": "".join(traceback.format_exception(type(error), error, error.__traceback__))[-TEXT_CHARS_MAX:],
        "requests": min(task.requests, 1000),
    }
    if isinstance(error, Failed):
        told["sent"] = error.sent
        optional = {
            "code": error.code,
            "status": error.status,
            "headers": None if error.headers is None else dict(error.headers),
            "body": error.body,
            "stopped": error.stopped,
        }
        told.update({name: value for name, value in optional.items() if value is not None})
    return told


def checked_answer(given: Any) -> Dict[str, Any]:
    if isinstance(given, Happened):
        told = {"kind": "happened", "result": storable(given.result), "evidence": storable(given.evidence)}
        return told if given.fingerprint is None else {**told, "fingerprint": given.fingerprint}
    if isinstance(given, Differs):
        return {"kind": "differs", "why": given.why, "evidence": storable(given.evidence)}
    if isinstance(given, DidNotHappen):
        return {"kind": "didNotHappen"}
    why = given.why if isinstance(given, CannotTell) else f"the check gave {type(given).__name__}, which is no answer"
    return {"kind": "cannotTell", "why": why}


def storable(value: Any) -> Any:
    """What took effect is confirmed all the same: what cannot be written as JSON is told as what it is not."""
    try:
        json.dumps(value, allow_nan=False)
        return value
    except (TypeError, ValueError) as error:
        return {"notJson": str(error)[:500]}


def in_short(answer: Mapping[str, Any], why: str) -> Dict[str, Any]:
    if answer["kind"] in ("confirmed", "happened"):
        return {"kind": answer["kind"], "result": {"notTaken": why[:500]}}
    if answer["kind"] != "failed":
        return {"kind": "cannotTell", "why": why[:500]}
    told = {"kind": "failed", "sent": answer["sent"], "name": "Failed", "message": why[:500]}
    return {**told, "status": answer["status"]} if "status" in answer else told


def json_or_text(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def code_of(error: BaseException) -> str:
    """The code that other languages give to the same error."""
    if isinstance(error, socket.gaierror):
        return "ENOTFOUND"
    if isinstance(error, (socket.timeout, TimeoutError)):
        return "ETIMEDOUT"
    number = error.errno if isinstance(error, OSError) else None
    return errno.errorcode.get(number, type(error).__name__) if number is not None else type(error).__name__
