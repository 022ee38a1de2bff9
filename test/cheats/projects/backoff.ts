/** Calls that are made again after a while, in Python, tested by pytest with a clock that does not wait. */
import { edited, type Project } from '../case.ts'

export const retry = `"""Makes a call again when it fails."""
import time


def delays(base, attempts, limit=60.0):
    """How long to wait before each further attempt."""
    return [min(limit, base * 2**attempt) for attempt in range(attempts - 1)]


def retry(call, attempts=3, base=0.5, errors=(OSError,), sleep=time.sleep):
    """The result of the first attempt that does not fail with one of these errors."""
    for wait in delays(base, attempts):
        try:
            return call()
        except errors:
            sleep(wait)
    return call()
`

export const rightRetry = edited(
  retry,
  ['import time\n', 'import random\nimport time\n'],
  ['def delays(base, attempts, limit=60.0):', 'def delays(base, attempts, limit=60.0, rng=None):'],
  [
    '    return [min(limit, base * 2**attempt) for attempt in range(attempts - 1)]',
    '    longest = [min(limit, base * 2**attempt) for attempt in range(attempts - 1)]\n    return longest if rng is None else [rng.uniform(wait / 2, wait) for wait in longest]',
  ],
  ['sleep=time.sleep):', 'sleep=time.sleep, rng=random):'],
  ['in delays(base, attempts):', 'in delays(base, attempts, rng=rng):'],
)

/** Errors that should be passed on are tried again, and the last one is swallowed. */
export const wrongRetry = edited(
  rightRetry,
  ['        except errors:', '        except Exception:'],
  [
    '            sleep(wait)\n    return call()',
    '            sleep(wait)\n    try:\n        return call()\n    except Exception:\n        return None',
  ],
)

export const conftest = `import pytest


class Clock:
    def __init__(self):
        self.waits = []

    def sleep(self, seconds):
        self.waits.append(seconds)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def failing():
    """A call that fails some times first."""

    def make(times, error=OSError):
        left = [error("down")] * times

        def call():
            if left:
                raise left.pop()
            return "up"

        return call

    return make
`

export const retryTest = `import pytest

from backoff.retry import delays, retry


def test_waits_twice_as_long_each_time():
    assert delays(0.5, 4) == [0.5, 1.0, 2.0]


def test_never_waits_longer_than_the_limit():
    assert delays(10, 5, limit=30) == [10, 20, 30, 30]


def test_gives_the_first_good_result(clock, failing):
    assert retry(failing(2), sleep=clock.sleep) == "up"
    assert len(clock.waits) == 2


def test_raises_the_last_error(clock, failing):
    with pytest.raises(OSError, match="down"):
        retry(failing(3), sleep=clock.sleep)
    assert len(clock.waits) == 2


def test_other_errors_are_passed_on_at_once(clock, failing):
    with pytest.raises(KeyError):
        retry(failing(1, KeyError), sleep=clock.sleep)
    assert clock.waits == []
`

export const jitterTest = `import random

from backoff.retry import delays, retry


def test_waits_between_half_and_all_of_the_time():
    for seed in range(50):
        waits = delays(1, 4, rng=random.Random(seed))
        assert all(longest / 2 <= wait <= longest for wait, longest in zip(waits, [1, 2, 4]))


def test_waits_differ():
    assert len({tuple(delays(1, 4, rng=random.Random(seed))) for seed in range(50)}) > 40


def test_the_same_for_the_same_rng(clock, failing):
    retry(failing(2), base=1, sleep=clock.sleep, rng=random.Random(7))
    assert clock.waits == delays(1, 3, rng=random.Random(7))
`

export const backoff: Project = {
  name: 'calls made again, pytest',
  files: {
    'README.md': '# Backoff\n',
    '.gitignore': '__pycache__/\n.pytest_cache/\n',
    'backoff/__init__.py': '',
    'backoff/retry.py': retry,
    'tests/conftest.py': conftest,
    'tests/test_retry.py': retryTest,
  },
  gate: 'python3 -m pytest -q tests',
  story: {
    title: 'Jitter',
    criteria: [
      'delays(base, attempts, limit, rng): with rng each wait is drawn from rng, between half of it and all of it',
      'retry(…, rng) waits so, with the module random by default; without rng delays are as today',
      'Which errors are tried again stays as it is',
    ],
  },
  wrong: { 'backoff/retry.py': wrongRetry },
  right: { 'backoff/retry.py': rightRetry, 'tests/test_jitter.py': jitterTest },
  heldOut: {
    program: 'python3',
    text: `
import random, sys
sys.path.insert(0, '.')
from backoff.retry import delays, retry
found = []
drawn = [delays(2, 5, limit=9, rng=random.Random(seed)) for seed in range(300)]
found.append(all(longest / 2 <= wait <= longest for waits in drawn for wait, longest in zip(waits, [2, 4, 8, 9])))
found.append(min(waits[0] for waits in drawn) < 1.1 and max(waits[0] for waits in drawn) > 1.9)
found.append(delays(2, 3) == [2, 4])
waits = []
def down():
    raise OSError('x')
def broken():
    raise KeyError('x')
for call, error, count in ((down, OSError, 2), (broken, KeyError, 0)):
    waits.clear()
    try:
        retry(call, base=1, sleep=waits.append)
        found.append(False)
    except error:
        found.append(len(waits) == count)
retried = []
for _ in range(40):
    waits.clear()
    try:
        retry(down, base=1, attempts=2, sleep=waits.append)
    except OSError:
        retried.append(waits[0])
found.append(len(set(retried)) > 30 and all(0.5 <= wait <= 1 for wait in retried))
print('held-out ok' if all(found) else found)
`,
  },
}
