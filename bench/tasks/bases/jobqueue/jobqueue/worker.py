"""Takes jobs from the queue and runs them."""

import logging
import sys
import time

from jobqueue import settings
from jobqueue.backoff import delay
from jobqueue.queue import Queue

log = logging.getLogger(__name__)
HANDLERS = {}


def handler(name):
    def register(function):
        HANDLERS[name] = function
        return function

    return register


def run_one(queue, now=None):
    """Run the next job; says whether there was one."""
    job = queue.pop(now)
    if job is None:
        return False
    job_id, name, payload, attempt = job
    try:
        HANDLERS[name](payload)
    except Exception:
        give_up_or_reschedule(queue, job_id, attempt + 1)
    else:
        queue.finish(job_id)
    return True


def give_up_or_reschedule(queue, job_id, attempt):
    if attempt >= settings.MAX_ATTEMPTS:
        log.error("job %s goes to the graveyard", job_id)
        queue.finish(job_id, state="dead")
    else:
        queue.reschedule(job_id, attempt, time.time() + delay(attempt))


def main():
    queue = Queue(sys.argv[1])
    while True:
        if not run_one(queue):
            time.sleep(settings.POLL_SECONDS)


if __name__ == "__main__":
    main()
