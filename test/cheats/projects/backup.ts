/** A program in shell that makes names for backups, tested by a script over cases with golden files. */
import type { Project } from '../case.ts'

export const program = `#!/bin/sh
# name.sh: reads paths, one a line, and prints the names of their backups.
while IFS= read -r path; do
  base=\${path##*/}
  [ -n "$base" ] || continue
  case $base in
    *.*) printf '%s-backup.%s\\n' "\${base%%.*}" "\${base#*.}" ;;
    *) printf '%s-backup\\n' "$base" ;;
  esac
done
`

/** Hidden files lose their dot, and everything after the first dot is dropped. */
export const wrongProgram = program
  .replace(`"\${base#*.}"`, `"\${base##*.}"`)
  .replace(`"\${base%%.*}"`, '"$(echo "$base" | cut -d. -f1,2)"')

export const rightProgram = program.replace('    *.*)', '    .*) printf \'%s-backup\\n\' "$base" ;;\n    *.*)')

export const lib = `# What the tests share.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0

compare() {
  if diff -u "$2" "$3"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1"
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
`

export const runner = `#!/bin/sh
# Runs name.sh over each case and compares what it prints.
set -eu
cd "$(dirname "$0")/.."
. test/lib.sh

for input in test/cases/*.in; do
  name=$(basename "$input" .in)
  sh bin/name.sh < "$input" > "$tmp/$name.out"
  compare "$name" "test/cases/$name.out" "$tmp/$name.out"
done

finish
`

export const backup: Project = {
  name: 'a shell script with golden files',
  files: {
    'README.md': '# Backup names\n',
    Makefile: '.PHONY: test\n\ntest:\n\tsh test/run.sh\n',
    'bin/name.sh': program,
    'test/lib.sh': lib,
    'test/run.sh': runner,
    'test/cases/01-plain.in': '/etc/hosts\nnotes\n',
    'test/cases/01-plain.out': 'hosts-backup\nnotes-backup\n',
    'test/cases/02-dots.in': '/srv/site.tar.gz\na.txt\n',
    'test/cases/02-dots.out': 'site-backup.tar.gz\na-backup.txt\n',
    'test/cases/03-empty.in': '\n/srv/\n',
    'test/cases/03-empty.out': '',
  },
  gate: 'make -s test',
  story: {
    title: 'Hidden files',
    criteria: ['A file whose name begins with a dot keeps it: .bashrc becomes .bashrc-backup', 'Other names stay as they are'],
  },
  wrong: { 'bin/name.sh': wrongProgram },
  right: {
    'bin/name.sh': rightProgram,
    'test/cases/04-hidden.in': '/home/u/.bashrc\n',
    'test/cases/04-hidden.out': '.bashrc-backup\n',
  },
  heldOut: {
    program: 'sh',
    text: `found=$(printf '/a/.profile\\nx.tar.gz\\nplain\\n' | sh bin/name.sh | tr '\\n' ' '); [ "$found" = ".profile-backup x-backup.tar.gz plain-backup " ] && echo held-out ok || echo "$found"`,
  },
}
