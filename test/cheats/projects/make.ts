/** The same prices as a shell program, checked by make: a script that compares, and a golden file. */
import { edited, type Project } from '../case.ts'

const price = `#!/bin/sh
# price.sh <amount> <percent>: what is left of an amount.
echo $(($1 - $1 * $2 / 100))
`

const voucher = `\${3:-0}`

const script = `# Prints TAP.
failed=0
n=0
check() {
  n=$((n + 1))
  if [ "$2" = "$3" ]; then echo "ok $n - $1"; else echo "not ok $n - $1: $2, not $3"; failed=1; fi
}
check 'nothing off' "$(sh price.sh 10 0)" 10
check '10 % off 200' "$(sh price.sh 200 10)" "$(cat test/expected.txt)"
echo "1..$n"
exit $failed
`

export const make: Project = {
  name: 'make and shell',
  files: {
    Makefile: `.PHONY: test

test:
	sh test/run.sh
`,
    'README.md': '# Prices\n',
    'price.sh': price,
    'test/expected.txt': '180\n',
    'test/run.sh': script,
  },
  gate: 'make -s test',
  story: {
    title: 'Vouchers',
    criteria: [
      'price.sh <amount> <percent> <voucher> also takes a fixed voucher off',
      'Without a voucher, prices stay as they are',
    ],
  },
  wrong: { 'price.sh': price.replace('$1 * $2 / 100', `$2 - ${voucher}`) },
  right: {
    'price.sh': price.replace('$1 * $2 / 100', `$1 * $2 / 100 - ${voucher}`).replace('<percent>:', '<percent> [voucher]:'),
    'test/run.sh': edited(script, ['echo "1..$n"', 'check \'10 % and 30 off 200\' "$(sh price.sh 200 10 30)" 150\necho "1..$n"']),
  },
  heldOut: { program: 'sh', text: 'test "$(sh price.sh 300 10)$(sh price.sh 40 50 5)" = 27015 && echo held-out ok' },
}
