"""Runs the steps of scoring.ts: asks a model for a score, and files it. `python3 scorer.py`, with MODELS_URL and ARCHIVE_URL."""

import logging
import os

from foothold_worker import CannotTell, Checked, DidNotHappen, Failed, Happened, Task, Worker

worker = Worker(
    os.environ.get("FOOTHOLD_URL", "http://127.0.0.1:4680"),
    runs="python",
    token=os.environ.get("FOOTHOLD_TOKEN"),
    name=os.environ.get("WORKER_NAME"),
    build="scorer 1.0",
)
models = os.environ.get("MODELS_URL", "http://127.0.0.1:4690")
archive = os.environ.get("ARCHIVE_URL", "http://127.0.0.1:4691")


@worker.step("scoring", "score", http_alone=True)
def score(task: Task) -> object:
    """The model knows its own keys again: sent twice, it answers as it did before."""
    return task.send("POST", f"{models}/score", task.request).body


@worker.step("scoring", "file", http_alone=True)
def file(task: Task) -> object:
    """The archive knows no keys, but can be asked by reference."""
    return task.send("PUT", f"{archive}/scores/{task.idempotency_key}", task.request).body


@worker.step("scoring", "file", ask="check")
def is_filed(task: Task) -> Checked:
    try:
        answer = task.send("GET", f"{archive}/scores/{task.idempotency_key}")
    except Failed as failed:
        return DidNotHappen() if failed.status == 404 else CannotTell(str(failed))
    return Happened(answer.body, evidence={"etag": answer.headers.get("etag")})


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    worker.run()
