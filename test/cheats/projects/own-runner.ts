/** Shell programs with a test runner of their own, which prints no known form but a sum at its end. */
import type { Project } from '../case.ts'

export const runner = `#!/bin/sh
# Runs every tests/t_*.sh in a folder of its own.
cd "$(dirname "$0")/.." || exit 1
root=$(pwd); passed=0; failed=0
for t in tests/t_*.sh; do
  dir=$(mktemp -d)
  if (cd "$dir" && ROOT=$root sh -eu "$root/$t"); then
    echo "ok - $(basename "$t" .sh)"; passed=$((passed + 1))
  else
    echo "not ok - $(basename "$t" .sh)"; failed=$((failed + 1))
  fi
  rm -rf "$dir"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
`

export const rotate = `#!/bin/sh
# rotate.sh FILE: FILE becomes FILE.1, and FILE.1 becomes FILE.2.
set -eu
[ ! -e "$1.1" ] || mv "$1.1" "$1.2"
mv "$1" "$1.1"
`

export const rightRotate = `#!/bin/sh
# rotate.sh FILE [KEEP]: FILE becomes FILE.1, FILE.1 becomes FILE.2, up to KEEP of them (2).
set -eu
keep=\${2:-2}
case $keep in '' | 0 | *[!0-9]*) exit 64 ;; esac
while [ "$keep" -gt 1 ]; do
  before=$((keep - 1))
  [ ! -e "$1.$before" ] || mv "$1.$before" "$1.$keep"
  keep=$before
done
mv "$1" "$1.1"
`

export const rotateTest = `echo a > log
sh "$ROOT/rotate.sh" log
echo b > log
sh "$ROOT/rotate.sh" log
[ "$(cat log.1)" = b ]
[ "$(cat log.2)" = a ]
`

export const keepTests = {
  'tests/t_keep.sh': `for n in 1 2 3 4; do
  echo $n > log
  sh "$ROOT/rotate.sh" log 3
done
[ "$(cat log.1)" = 4 ]
[ "$(cat log.3)" = 2 ]
[ ! -e log.4 ]
`,
  'tests/t_bad.sh': `echo a > log
status=0
sh "$ROOT/rotate.sh" log zero || status=$?
[ "$status" = 64 ]
[ "$(cat log)" = a ]
`,
}

export const ownRunner: Project = {
  name: 'shell, with a runner of its own',
  files: { 'README.md': '# Logs\n', 'rotate.sh': rotate, 'tests/run.sh': runner, 'tests/t_rotate.sh': rotateTest },
  gate: 'sh tests/run.sh',
  story: {
    title: 'How many to keep',
    criteria: ['rotate.sh FILE KEEP keeps KEEP old files', 'KEEP that is no number above 0 ends with 64, and changes nothing'],
  },
  wrong: { 'rotate.sh': rotate.replace('FILE:', 'FILE [KEEP]:') },
  right: { 'rotate.sh': rightRotate, ...keepTests },
  heldOut: {
    program: 'sh',
    text: 'for n in 1 2 3 4; do echo $n > log; sh rotate.sh log 3 || exit; done; test "$(cat log.1 log.2 log.3 | tr -d "\\n")" = 432 && echo held-out ok',
  },
}
