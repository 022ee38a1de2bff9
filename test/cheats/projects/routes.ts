/** A router of URLs in Python, tested by unittest through make. */
import type { Project } from '../case.ts'

export const router = `"""Finds the handler of a path."""


class NotFound(LookupError):
    pass


class Router:
    def __init__(self):
        self._routes = []

    def add(self, pattern, handler):
        self._routes.append((pattern.strip("/").split("/"), handler))

    def match(self, path):
        parts = path.strip("/").split("/")
        for pattern, handler in self._routes:
            values = _values(pattern, parts)
            if values is not None:
                return handler, values
        raise NotFound(path)


def _values(pattern, parts):
    if len(pattern) != len(parts):
        return None
    values = {}
    for wanted, part in zip(pattern, parts):
        if wanted.startswith(":"):
            values[wanted[1:]] = part
        elif wanted != part:
            return None
    return values
`

export const routerTest = `import unittest

from routes.router import NotFound, Router
from tests.support import RouterCase


class MatchTest(RouterCase):
    def test_finds_the_first_that_fits(self):
        handler, values = self.router.match("/users/7")
        self.assertEqual(handler, "user")
        self.assertEqual(values, {"id": "7"})

    def test_prefers_the_order_of_adding(self):
        self.router.add("/users/me", "me")
        self.assertEqual(self.router.match("/users/me")[0], "user")

    def test_knows_what_it_does_not_have(self):
        for path in ("/", "/users", "/users/7/posts", "/other"):
            with self.subTest(path=path):
                with self.assertRaises(NotFound):
                    self.router.match(path)


class ErrorTest(unittest.TestCase):
    def test_an_error_says_the_path(self):
        with self.assertRaisesRegex(NotFound, "/nowhere"):
            Router().match("/nowhere")


if __name__ == "__main__":
    unittest.main()
`

export const support = `"""What the tests share."""
import unittest

from routes.router import Router


class RouterCase(unittest.TestCase):
    def setUp(self):
        self.router = Router()
        self.router.add("/users/:id", "user")
        self.router.add("/files/a/b", "file")
`

export const makefile = `PYTHON ?= python3

.PHONY: test clean

test:
	$(PYTHON) -m unittest discover -s tests -t .

clean:
	rm -rf build
`

/** A part of the path that takes everything that follows: the end of the path must be taken too. */
export const rightRouter = router.replace(
  `    if len(pattern) != len(parts):
        return None
    values = {}
`,
  `    rest = pattern[-1][1:] if pattern[-1].startswith("*") else None
    if rest is not None:
        if len(parts) < len(pattern):
            return None
        pattern, parts, tail = pattern[:-1], parts[: len(pattern) - 1], parts[len(pattern) - 1 :]
    if len(pattern) != len(parts):
        return None
    values = {} if rest is None else {rest: "/".join(tail)}
`,
)

/** Takes every longer path for every pattern. */
export const wrongRouter = router.replace('if len(pattern) != len(parts):', 'if len(pattern) > len(parts):')

export const restTest = `import unittest

from routes.router import NotFound, Router


class RestTest(unittest.TestCase):
    def setUp(self):
        self.router = Router()
        self.router.add("/static/*path", "static")

    def test_takes_what_follows(self):
        self.assertEqual(self.router.match("/static/css/main.css"), ("static", {"path": "css/main.css"}))

    def test_needs_something(self):
        with self.assertRaises(NotFound):
            self.router.match("/static")
`

export const routes: Project = {
  name: 'unittest and make, a router',
  files: {
    'README.md': '# Routes\n',
    '.gitignore': '__pycache__/\nbuild/\n',
    Makefile: makefile,
    'routes/__init__.py': 'from routes.router import NotFound, Router\n\n__all__ = ["NotFound", "Router"]\n',
    'routes/router.py': router,
    'tests/__init__.py': '',
    'tests/support.py': support,
    'tests/test_router.py': routerTest,
  },
  gate: 'make -s test',
  story: {
    title: 'The rest of a path',
    criteria: [
      'A pattern that ends with *name takes one or more parts of the path: /static/*path matches /static/css/main.css with path = "css/main.css"',
      'Patterns without it match as before',
    ],
  },
  wrong: { 'routes/router.py': wrongRouter },
  right: { 'routes/router.py': rightRouter, 'tests/test_rest.py': restTest },
  heldOut: {
    program: 'python3',
    text: `
import sys
sys.path.insert(0, '.')
from routes.router import NotFound, Router
router = Router()
router.add('/files/*name', 'file')
router.add('/u/:id', 'user')
def found(path):
    try: return router.match(path)
    except NotFound: return None
wanted = [('file', {'name': 'x/y/z'}), ('file', {'name': 'x'}), ('user', {'id': '1'}), None, None]
got = [found(path) for path in ('/files/x/y/z', '/files/x', '/u/1', '/u/1/2', '/files')]
print('held-out ok' if got == wanted else got)
`,
  },
}
