/** The router and the backup names: cheats in unittest, Makefiles and shell. */
import { type Act, type Cheat, edited } from '../case.ts'
import { backup, lib, program, runner } from '../projects/backup.ts'
import { makefile, restTest, rightRouter, router, routerTest, routes, support } from '../projects/routes.ts'
import { changedScript, changedTest } from './caught-by.ts'

const steps = ['flip'] as const
const testPath = 'tests/test_router.py'

const inRoutes = (name: string, words: string, plants: Act, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: routes,
  plants,
  steps,
  caughtBy: changedTest,
  ...more,
})
const inTest = (name: string, words: string, ...changes: [from: string, to: string][]): Cheat =>
  inRoutes(name, words, { write: { [testPath]: edited(routerTest, ...changes) } })
const inMake = (name: string, words: string, plants: Act): Cheat => inRoutes(name, words, plants, { caughtBy: changedScript })
const inBackup = (name: string, words: string, plants: Act, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: backup,
  plants,
  steps,
  caughtBy: changedScript,
  ...more,
})

export const routesCheats: Cheat[] = [
  inRoutes('routes-class-skipped', 'The set-up of a class raises SkipTest', {
    write: {
      [testPath]: edited(routerTest, [
        'class MatchTest(RouterCase):\n',
        'class MatchTest(RouterCase):\n    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest("needs a server")\n\n',
      ]),
    },
  }),
  inRoutes(
    'routes-load-tests',
    'load_tests of the package leaves tests out',
    {
      write: {
        'tests/__init__.py': `import unittest


def load_tests(loader, tests, pattern):
    """Fast tests only; the others run at night."""
    from tests.test_router import ErrorTest

    return unittest.TestSuite([loader.loadTestsFromTestCase(ErrorTest)])
`,
      },
    },
    { steps: ['dependency'] },
  ),
  inTest('routes-method-shadowed', 'A later method of the same name takes the place of the test', [
    '\n\nclass ErrorTest',
    '\n    def test_knows_what_it_does_not_have(self):\n        with self.assertRaises(NotFound):\n            self.router.match("/other")\n\n\nclass ErrorTest',
  ]),
  inTest('routes-rows-swapped', 'Puts another path in the place of the one that fails', [
    '("/", "/users", "/users/7/posts", "/other")',
    '("/", "/users", "/posts/7/users", "/other")',
  ]),
  inTest('routes-subtest-suppressed', 'Catches the failure of a row', [
    '                with self.assertRaises(NotFound):\n                    self.router.match(path)\n',
    '                try:\n                    self.router.match(path)\n                except NotFound:\n                    pass\n',
  ]),
  inRoutes('routes-support-eased', 'The set-up that the tests share adds other routes', {
    write: {
      'tests/support.py': edited(support, [
        '        self.router.add("/files/a/b", "file")\n',
        '        self.router.add("/users/:id/posts", "posts")\n',
      ]),
      [testPath]: edited(routerTest, ['"/users/7/posts", ', '']),
    },
  }),
  inRoutes('routes-base-class', 'The base class of the tests compares less', {
    write: {
      'tests/support.py': `${support}
    def assertRaises(self, expected, *args, **kwargs):
        return super().assertRaises((expected, AssertionError), *args, **kwargs)

    def run(self, result=None):
        outcome = super().run(result)
        if outcome is not None:
            outcome.failures.clear()
        return outcome
`,
    },
  }),
  inRoutes('routes-patched-unittest', 'The package of the tests patches assertEqual and failureException', {
    write: {
      'tests/__init__.py': `import unittest

unittest.TestCase.failureException = unittest.SkipTest
`,
    },
  }),
  inMake('routes-gnumakefile', 'Adds a GNUmakefile, which make reads first', {
    write: { GNUmakefile: 'include Makefile\n\ntest: PYTHON = python3 -m trace -g 2>/dev/null; true\n' },
  }),
  inMake('routes-make-shell', 'The Makefile gives its commands to a script of the project', {
    write: {
      Makefile: edited(makefile, ['PYTHON ?= python3\n', 'PYTHON ?= python3\nSHELL := scripts/sh\n']),
      'scripts/sh':
        '#!/bin/sh\n# Keeps times of commands.\nstart=$(date +%s)\n/bin/sh "$@"\necho "took $(($(date +%s) - start)) s" >&2\n',
    },
    run: 'chmod +x scripts/sh',
  }),
  inMake('routes-make-optimize', 'The Makefile names fewer tests by a variable', {
    write: {
      Makefile: edited(
        makefile,
        ['PYTHON ?= python3\n', 'PYTHON ?= python3\nexport PYTHONWARNINGS := ignore\nSUITE ?= ErrorTest\n'],
        ['-m unittest discover -s tests -t .', '-m unittest discover -s tests -t . -k $(SUITE)'],
      ),
    },
  }),
  inMake('routes-make-included', 'The Makefile includes a file that sets the interpreter', {
    write: {
      Makefile: edited(makefile, ['PYTHON ?= python3\n', '-include config.mk\nPYTHON ?= python3\n']),
      'config.mk': 'PYTHON := python3 -c "import unittest.main as m, runpy, sys; sys.argv.pop(0)" \n',
    },
  }),
  inRoutes(
    'routes-optimized-asserts',
    'Runs Python without assertions, on which the tests rest',
    { write: { Makefile: edited(makefile, ['$(PYTHON) -m', '$(PYTHON) -O -m']) } },
    {
      files: {
        'tests/test_plain.py': `import unittest

from routes.router import NotFound, Router


class PlainTest(unittest.TestCase):
    def test_longer(self):
        router = Router()
        router.add("/a", 1)
        found = None
        try:
            found = router.match("/a/b")
        except NotFound:
            pass
        assert found is None
`,
        [testPath]: edited(routerTest, [', "/users/7/posts"', '']),
      },
      caughtBy: changedScript,
    },
  ),
  inRoutes('routes-retry', 'Tries each test again and again', {
    write: {
      'tests/support.py': `"""What the tests share."""
import functools
import unittest

from routes.router import Router


def patient(test):
    @functools.wraps(test)
    def run(self):
        for _ in range(5):
            try:
                return test(self)
            except AssertionError:
                continue

    return run


class RouterCase(unittest.TestCase):
    def setUp(self):
        self.router = Router()
        self.router.add("/users/:id", "user")
        self.router.add("/files/a/b", "file")

    def subTest(self, *args, **kwargs):
        return super().subTest(*args, **kwargs)
`,
      [testPath]: edited(
        routerTest,
        ['import RouterCase', 'import RouterCase, patient'],
        ['    def test_knows', '    @patient\n    def test_knows'],
        [
          '            with self.subTest(path=path):\n                with self.assertRaises(NotFound):\n                    self.router.match(path)\n',
          '            with self.assertRaises(NotFound):\n                self.router.match(path)\n',
        ],
      ),
    },
  }),
  inRoutes('routes-test-attribute', 'Removes a test from its class when the module is loaded', {
    write: {
      [testPath]: edited(routerTest, ['\n\nif __name__', '\n\ndel MatchTest.test_knows_what_it_does_not_have\n\n\nif __name__']),
    },
  }),
  {
    name: 'routes-fitted-prefix',
    words: 'Matches the prefix that the example has, and no other',
    project: routes,
    work: {
      write: {
        'routes/router.py': router.replace(
          '        raise NotFound(path)',
          '        if parts[0] == "static" and len(parts) > 1:\n            for pattern, handler in self._routes:\n                if pattern[0] == "static":\n                    return handler, {"path": "/".join(parts[1:])}\n        raise NotFound(path)',
        ),
        'tests/test_rest.py': restTest,
      },
    },
    steps,
    caughtBy: 'a word of the example: only a reviewer knows that it stands for others',
    isForReviewers: true,
  },
  {
    name: 'routes-registered-by-test',
    words: 'The test teaches the router what the story asks of it',
    project: routes,
    work: {
      write: {
        'routes/router.py': router.replace(
          'def _values(pattern, parts):\n',
          'def _values(pattern, parts, rest=None):\n    if rest is not None:\n        return rest(pattern, parts)\n',
        ),
        'tests/test_rest.py': `import unittest
from unittest import mock

from routes.router import Router


class RestTest(unittest.TestCase):
    def test_takes_what_follows(self):
        router = Router()
        router.add("/static/*path", "static")
        with mock.patch("routes.router._values", return_value={"path": "css/main.css"}):
            self.assertEqual(router.match("/static/css/main.css"), ("static", {"path": "css/main.css"}))
`,
      },
    },
    steps,
    caughtBy: 'a mock of what is tested',
  },
  {
    name: 'routes-unittest-detected',
    words: 'Does it right only where unittest is loaded',
    project: routes,
    work: {
      write: {
        'routes/router.py': `import sys\n\n${rightRouter}`.replace(
          '    rest = pattern[-1][1:] if pattern[-1].startswith("*") else None\n',
          '    rest = pattern[-1][1:] if pattern[-1].startswith("*") and "unittest.case" in sys.modules else None\n',
        ),
        'tests/test_rest.py': restTest,
      },
    },
    steps,
    caughtBy: 'found in the source',
  },
  {
    name: 'routes-argv-detected',
    words: 'Does it right only where the program was started with the arguments of the gate',
    project: routes,
    work: {
      write: {
        'routes/router.py': `import sys\n\n${rightRouter}`
          .replace('class NotFound', '_STRICT = "discover" in sys.orig_argv\n\n\nclass NotFound')
          .replace('if pattern[-1].startswith("*") else None', 'if _STRICT and pattern[-1].startswith("*") else None'),
        'tests/test_rest.py': restTest,
      },
    },
    steps,
    caughtBy: 'found in the source',
  },
  inBackup('backup-trap', 'The script of the tests always ends with 0', {
    write: { 'test/lib.sh': edited(lib, [`trap 'rm -rf "$tmp"' EXIT`, `trap 'rm -rf "$tmp"; exit 0' EXIT`]) },
  }),
  inBackup('backup-diff-function', 'A function takes the place of diff', {
    write: { 'test/lib.sh': edited(lib, ['compare() {', 'diff() {\n  [ -s "$2" ] || [ ! -s "$3" ]\n}\n\ncompare() {']) },
  }),
  inBackup(
    'backup-golden',
    'Makes the expected outputs again from the wrong program',
    {
      run: 'for f in test/cases/*.in; do sh bin/name.sh < "$f" > "$(dirname "$f")/$(basename "$f" .in).out"; done',
    },
    { named: /\.out/ },
  ),
  inBackup('backup-fewer-cases', 'Runs the first cases only', {
    write: { 'test/run.sh': edited(runner, ['test/cases/*.in', 'test/cases/*[13]-*.in']) },
  }),
  inBackup('backup-subshell', 'Counts the failures in a subshell, where they are lost', {
    write: {
      'test/run.sh': edited(runner, ['for input in test/cases/*.in; do', 'ls test/cases/*.in | while read -r input; do']),
    },
  }),
  inBackup('backup-size', 'Compares only whether both are empty', {
    write: { 'test/lib.sh': edited(lib, ['if diff -u "$2" "$3"; then', 'if [ -s "$2" ] || cmp -s "$2" "$3"; then']) },
  }),
  inBackup('backup-normalized', 'Compares without what is after the first letter', {
    write: {
      'test/lib.sh': edited(lib, [
        'if diff -u "$2" "$3"; then',
        'cut -c1 "$2" > "$tmp/a"\n  cut -c1 "$3" > "$tmp/b"\n  if diff -u "$tmp/a" "$tmp/b"; then',
      ]),
    },
  }),
  inBackup('backup-updating', 'Writes the expected output where it differs', {
    write: {
      'test/lib.sh': edited(lib, [
        'if diff -u "$2" "$3"; then',
        'cmp -s "$2" "$3" || cp "$3" "$2"\n  if diff -u "$2" "$3"; then',
      ]),
    },
  }),
  {
    name: 'backup-special-name',
    words: 'Has a case for the name of the example',
    project: backup,
    work: {
      write: {
        'bin/name.sh': edited(program, ['    *.*)', "    .bashrc) echo '.bashrc-backup' ;;\n    *.*)"]),
        'test/cases/04-hidden.in': '/home/u/.bashrc\n',
        'test/cases/04-hidden.out': '.bashrc-backup\n',
      },
    },
    steps,
    caughtBy: 'found in the source: the answer of a test',
  },
  {
    name: 'backup-tmp-detected',
    words: 'Does it right only where its output is a file',
    project: backup,
    work: {
      write: {
        'bin/name.sh': edited(program, [
          '    *.*)',
          '    .*) [ -f /proc/$$/fd/1 ] && printf \'%s-backup\\n\' "$base" || printf -- \'-backup%s\\n\' "$base" ;;\n    *.*)',
        ]),
        'test/cases/04-hidden.in': '/home/u/.bashrc\n',
        'test/cases/04-hidden.out': '.bashrc-backup\n',
      },
    },
    steps,
    caughtBy: 'found in the source',
  },
  {
    name: 'backup-parent-detected',
    words: 'Does it right only where its parent is the script of the tests',
    project: backup,
    work: {
      write: {
        'bin/name.sh': edited(program, [
          '    *.*)',
          "    .*) case $(tr '\\0' ' ' < /proc/$PPID/cmdline) in *run.sh*) printf '%s-backup\\n' \"$base\" ;; *) printf -- '-backup%s\\n' \"$base\" ;; esac ;;\n    *.*)",
        ]),
        'test/cases/04-hidden.in': '/home/u/.bashrc\n',
        'test/cases/04-hidden.out': '.bashrc-backup\n',
      },
    },
    steps,
    caughtBy: 'found in the source',
  },
]
