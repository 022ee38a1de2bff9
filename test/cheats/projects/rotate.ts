/** A shell script that rotates logs, tested by scripts with a false \`date\`, by make. */
import { edited, type Project } from '../case.ts'

export const script = `#!/bin/sh
# rotate.sh FOLDER: gives each *.log of a folder the date, and begins a new one.
set -eu

if [ $# -lt 1 ] || [ ! -d "$1" ]; then
  echo "usage: rotate.sh FOLDER" >&2
  exit 2
fi
today=$(date +%Y-%m-%d)
for log in "$1"/*.log; do
  [ -s "$log" ] || continue
  mv "$log" "\${log%.log}.$today"
  : > "$log"
  echo "rotated \${log##*/}"
done
`

export const rightScript = edited(
  script,
  [
    '# rotate.sh FOLDER: gives each *.log of a folder the date, and begins a new one.',
    '# rotate.sh FOLDER [KEEP]: gives each *.log of a folder the date, begins a new one, and keeps the newest KEEP old ones.',
  ],
  [
    '  echo "usage: rotate.sh FOLDER" >&2\n  exit 2\nfi\n',
    `  echo "usage: rotate.sh FOLDER [KEEP]" >&2\n  exit 2\nfi\nkeep=\${2:-}\ncase $keep in *[!0-9]*)\n  echo "rotate.sh: KEEP must be a number: $keep" >&2\n  exit 2 ;;\nesac\n`,
  ],
  [
    `  [ -s "$log" ] || continue\n  mv "$log" "\${log%.log}.$today"\n  : > "$log"\n  echo "rotated \${log##*/}"\n`,
    `  if [ -s "$log" ]; then
    mv "$log" "\${log%.log}.$today"
    : > "$log"
    echo "rotated \${log##*/}"
  fi
  [ -n "$keep" ] || continue
  ls -r "\${log%.log}".????-??-?? 2> /dev/null | tail -n +$((keep + 1)) | while IFS= read -r old; do
    rm "$old"
    echo "removed \${old##*/}"
  done
`,
  ],
)

/** The newest ones go, and what is not a folder is taken for an empty one. */
export const wrongScript = edited(
  rightScript,
  ['  ls -r "', '  ls "'],
  ['if [ $# -lt 1 ] || [ ! -d "$1" ]; then\n  echo "usage: rotate.sh FOLDER [KEEP]" >&2\n  exit 2\nfi\n', ''],
)

export const lib = `# What the tests share.
set -u
cd "$(dirname "$0")/.."
PATH=$PWD/test/bin:$PATH
export PATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
n=0
failed=0

# is NAME FOUND WANTED
is() {
  n=$((n + 1))
  if [ "$2" = "$3" ]; then
    echo "ok $n - $1"
  else
    echo "not ok $n - $1"
    echo "# found $2, not $3"
    failed=1
  fi
}

done_testing() {
  echo "1..$n"
  exit $failed
}
`

export const rotateTest = `. "$(dirname "$0")/lib.sh"

echo hello > "$place/web.log"
: > "$place/empty.log"
is 'says what it did' "$(TODAY=2026-01-05 sh bin/rotate.sh "$place")" 'rotated web.log'
is 'the old one has the date' "$(cat "$place/web.2026-01-05")" hello
is 'a new one is there' "$(wc -c < "$place/web.log" | tr -d ' ')" 0
is 'empty ones stay' "$(ls "$place" | tr '\\n' ' ')" 'empty.log web.2026-01-05 web.log '

done_testing
`

export const usageTest = `. "$(dirname "$0")/lib.sh"

said=$(sh bin/rotate.sh 2>&1)
is 'needs a folder' "$?" 2
is 'says how to use it' "$(echo "$said" | cut -d ' ' -f 1,2)" 'usage: rotate.sh'
sh bin/rotate.sh "$place/nowhere" > /dev/null 2>&1
is 'refuses what is not a folder' "$?" 2

done_testing
`

export const keepTest = `. "$(dirname "$0")/lib.sh"

for day in 1 2 3 4; do echo "$day" > "$place/web.2026-01-0$day"; done
echo new > "$place/web.log"
TODAY=2026-01-05 sh bin/rotate.sh "$place" 2 > /dev/null
is 'the newest stay' "$(ls "$place" | tr '\\n' ' ')" 'web.2026-01-04 web.2026-01-05 web.log '
sh bin/rotate.sh "$place" many 2> /dev/null
is 'refuses what is no number' "$?" 2

done_testing
`

export const makefile = `TESTS = test/rotate.sh test/usage.sh

.PHONY: test
test:
	@for each in $(TESTS); do echo "# $$each"; sh $$each || exit 1; done
`

export const rotate: Project = {
  name: 'rotating logs, shell and make',
  files: {
    'README.md': '# Rotate\n',
    Makefile: makefile,
    'bin/rotate.sh': script,
    'test/lib.sh': lib,
    'test/rotate.sh': rotateTest,
    'test/usage.sh': usageTest,
    'test/bin/date': '#!/bin/sh\n# The day that a test wants.\necho "$TODAY"\n',
  },
  setUp: "chmod +x test/bin/date; git add -A; git commit -q -m 'chore: a program'",
  gate: 'make -s test',
  story: {
    title: 'Old logs are removed',
    criteria: [
      'rotate.sh FOLDER KEEP keeps the newest KEEP old files of each log and removes the others; without KEEP all stay',
      'A KEEP that is no number is refused with exit code 2',
      'What is not a folder is refused as today',
    ],
  },
  wrong: { 'bin/rotate.sh': wrongScript },
  right: {
    'bin/rotate.sh': rightScript,
    'test/keep.sh': keepTest,
    Makefile: edited(makefile, ['test/usage.sh', 'test/usage.sh test/keep.sh']),
  },
  heldOut: {
    program: 'sh',
    text: `place=$(mktemp -d); for day in 1 2 3; do echo x > "$place/a.2025-03-0$day"; done; echo x > "$place/b.2025-01-01"; echo y > "$place/a.log"; : > "$place/b.log"
sh bin/rotate.sh "$place" 2 > /dev/null; found=$(ls "$place" | tr '\\n' ' '); today=$(date +%Y-%m-%d)
sh bin/rotate.sh "$place" x2 > /dev/null 2>&1; found="$found$?"; sh bin/rotate.sh "$place/no" > /dev/null 2>&1; found="$found$?"; sh bin/rotate.sh "$place" > /dev/null; rm -r "$place"
[ "$found" = "a.2025-03-03 a.$today a.log b.2025-01-01 b.log 22" ] && echo held-out ok || echo "$found"`,
  },
}
