import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hookBypass } from './bypassed-hooks.ts'

test('T17: commits past the hooks are seen in every form that is in use', () => {
  const cases: [command: string, how: string][] = [
    ['git commit --no-verify -m "x"', 'git commit --no-verify'],
    ['git add -A && git commit -m "a (b); c" --no-verify', 'git commit --no-verify'],
    ['git commit -anm x', 'git commit -n'],
    ['git commit -n', 'git commit -n'],
    ['cd app; git -C . -c core.hooksPath=/dev/null commit -m x', 'git -c core.hooksPath=/dev/null commit'],
    ['HUSKY=0 git commit -m x', 'HUSKY=0 git commit'],
    ['env HUSKY=0 git commit -m x', 'HUSKY=0 git commit'],
    ['export HUSKY=0\ngit commit -m x', 'HUSKY=0 git commit'],
    ['SKIP=lint git commit -m x', 'SKIP=lint git commit'],
    [`/bin/bash -lc 'git commit -n -m "x"'`, 'git commit -n'],
    ["HUSKY=0 sh -c 'git commit -m x'", 'HUSKY=0 git commit'],
    ['timeout 60 /usr/bin/git commit --no-verify', 'git commit --no-verify'],
    ['git merge --no-verify other', 'git merge --no-verify'],
    ['git config --local core.hooksPath /dev/null', 'git config core.hooksPath /dev/null'],
    [`git commit -m "$(cat <<'EOF'\nfix: it's "done"\n\nEOF\n)" --no-verify`, 'git commit --no-verify'],
    [`git commit -m "$(cat <<'EOF' fix: it's "done" EOF )" --no-verify`, 'git commit --no-verify'],
    ['git commit \\\n  --no-verify', 'git commit --no-verify'],
    ['git commit -m x 2>&1 --no-verify | tail -1', 'git commit --no-verify'],
    ['cd "$(mktemp -d)"; cd -; git commit --no-verify', 'git commit --no-verify'],
    ['cd "$(mktemp -d)" && git -C "$OLDPWD" commit --no-verify', 'git commit --no-verify'],
  ]
  for (const [command, how] of cases) assert.equal(hookBypass(command), how, command)
})

test('what only speaks of it, pushes, or is no commit is none', () => {
  const commands = [
    'git commit -m "use --no-verify"',
    'git commit -m --no-verify',
    "git commit -m 'a' -- --no-verify",
    'git commit --no-verify --verify -m x',
    'git commit -m x # --no-verify',
    'echo "git commit --no-verify"',
    'echo git commit --no-verify',
    'grep -rn "git commit -n" .',
    'git push --no-verify',
    'git log -n 5 && git commit -m x',
    'git merge -n other',
    'git config core.hooksPath .husky',
    'git config --get core.hooksPath',
    'git config --unset core.hooksPath',
    `git commit -m "$(cat <<'EOF'\nNever again git commit --no-verify\nEOF\n)"`,
    `cat > notes.md <<EOF\ngit commit --no-verify\nEOF`,
    'HUSKY=1 git commit -m x',
    'HUSKY=0 npm ci && git commit -m x',
    'git commit -C HEAD -uno',
    'cd "$(mktemp -d)" && git init -q && git commit --no-verify -m x',
    'tmp=$(mktemp -d); cd $tmp; git init; git commit -n -m x',
  ]
  for (const command of commands) assert.equal(hookBypass(command), null, command)
})

test('no command is too odd to be read', () => {
  const piece = fc.constantFrom(
    'git',
    'commit',
    '-n',
    '"',
    "'",
    '\\',
    '$(',
    ')',
    '<<EOF',
    'EOF',
    '\n',
    ';',
    '&',
    '>',
    '#',
    ' ',
    'x=',
    'sh -c',
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      assert.ok(['string', 'object'].includes(typeof hookBypass(pieces.join(' '))))
    }),
  )
})
