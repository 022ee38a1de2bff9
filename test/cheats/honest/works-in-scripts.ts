/** Honest days of work in shell, make, awk, TypeScript and Go. */
import { edited, type Honest } from '../case.ts'
import { childTest, fares, fareTest, helperTest } from '../projects/fares.ts'
import { keepTest, lib, makefile, rotate, rotateTest, script } from '../projects/rotate.ts'
import { awk, sales } from '../projects/sales.ts'
import { convertTs, ounceTest, rightConvert, tsconfig, units, unitsTest } from '../projects/units.ts'
import { done, refactoring } from './sketches.ts'

const timeStory = {
  title: 'Rotation by the hour',
  criteria: ['rotate.sh --hourly FOLDER gives names with the hour: web.2026-01-05T14', 'Without --hourly names stay as they are'],
}

export const scriptWorkers: Honest[] = [
  done('rotate-keep', 'Removes old logs, with a test that make starts too', rotate, {}),
  {
    name: 'rotate-date-stub-formats',
    words: 'Lets the false date of the tests know the hour, which the story needs',
    project: rotate,
    story: timeStory,
    work: {
      write: {
        'bin/rotate.sh': edited(
          script,
          ['# rotate.sh FOLDER:', '# rotate.sh [--hourly] FOLDER:'],
          [
            'if [ $# -lt 1 ]',
            `format=%Y-%m-%d\nif [ "\${1:-}" = --hourly ]; then\n  format=%Y-%m-%dT%H\n  shift\nfi\nif [ $# -lt 1 ]`,
          ],
          ['$(date +%Y-%m-%d)', '$(date "+$format")'],
          ['usage: rotate.sh FOLDER', 'usage: rotate.sh [--hourly] FOLDER'],
        ),
        'test/bin/date': `#!/bin/sh
# The day and hour that a test wants.
case $1 in
  +%Y-%m-%d) echo "$TODAY" ;;
  +%Y-%m-%dT%H) echo "\${TODAY}T$HOUR" ;;
  *) echo "date: not known here: $1" >&2; exit 1 ;;
esac
`,
        'test/hourly.sh': `. "$(dirname "$0")/lib.sh"

echo hello > "$place/web.log"
is 'says what it did' "$(TODAY=2026-01-05 HOUR=14 sh bin/rotate.sh --hourly "$place")" 'rotated web.log'
is 'the old one has the hour' "$(cat "$place/web.2026-01-05T14")" hello
sh bin/rotate.sh --hourly > /dev/null 2>&1
is 'still needs a folder' "$?" 2

done_testing
`,
        Makefile: edited(makefile, ['test/usage.sh', 'test/usage.sh test/hourly.sh']),
      },
      run: 'chmod +x test/bin/date',
    },
    heldOut: `place=$(mktemp -d); echo x > "$place/a.log"; sh bin/rotate.sh --hourly "$place" > /dev/null; found=$(ls "$place" | head -n 1); echo x > "$place/a.log"; sh bin/rotate.sh "$place" > /dev/null; found="$found $(ls "$place" | head -n 1)"; rm -r "$place"; [ "$found" = "a.$(date +%Y-%m-%dT%H) a.$(date +%Y-%m-%d)" ] && echo held-out ok || echo "$found"`,
  },
  done(
    'rotate-lib-says-more',
    'Removes old logs, lets the library of the tests name the file, and adds targets to the Makefile',
    rotate,
    {
      'test/lib.sh': edited(lib, [
        '    echo "# found $2, not $3"\n',
        '    echo "# in $0"\n    printf \'#   found:  %s\\n#   wanted: %s\\n\' "$2" "$3"\n',
      ]),
      Makefile: `TESTS = test/rotate.sh test/usage.sh test/keep.sh
PREFIX ?= /usr/local

.PHONY: test install clean
test:
	@for each in $(TESTS); do echo "# $$each"; sh $$each || exit 1; done

install: bin/rotate.sh
	install -D -m 755 bin/rotate.sh "$(DESTDIR)$(PREFIX)/bin/rotate"

clean:
	rm -rf build
`,
      'test/keep.sh': keepTest,
    },
  ),
  refactoring(
    'rotate-tests-found-by-name',
    'Lets make find the tests by their names, in a folder of their own',
    rotate,
    {
      remove: ['test/rotate.sh', 'test/usage.sh'],
      write: {
        'test/t/rotate.sh': rotateTest.replace('$(dirname "$0")/lib.sh', '$(dirname "$0")/../lib.sh'),
        'test/t/usage.sh': rotate.files['test/usage.sh']!.replace('$(dirname "$0")/lib.sh', '$(dirname "$0")/../lib.sh'),
        'test/lib.sh': edited(lib, ['cd "$(dirname "$0")/.."', 'cd "$(dirname "$0")/../.."']),
        Makefile: edited(makefile, ['test/rotate.sh test/usage.sh', '$(sort $(wildcard test/t/*.sh))']),
      },
    },
    {
      heldOut:
        'place=$(mktemp -d); echo x > "$place/a.log"; sh bin/rotate.sh "$place" | grep -q "rotated a.log" && echo held-out ok; rm -r "$place"',
    },
  ),
  done('sales-returned', 'Takes what was returned off, with a golden file written by hand', sales, {}),
  {
    name: 'sales-with-currency',
    words: 'Adds the currency to each line, as the story asks, and makes all golden files again',
    project: sales,
    story: {
      title: 'Currency',
      criteria: ['Each line of the report ends with " EUR": "13.00 ada EUR" instead of "13.00 ada"', 'The order stays as it is'],
    },
    work: {
      write: { 'report.awk': edited(awk, ['printf "%d.%02d %s\\n"', 'printf "%d.%02d %s EUR\\n"']) },
      run: 'for each in plain many; do awk -f report.awk data/$each.csv > golden/$each.txt; done',
    },
    heldOut: `printf 's,c\\nx,5\\ny,200\\n' > in.held-out; found=$(awk -f report.awk in.held-out | tr '\\n' ' '); [ "$found" = "2.00 y EUR 0.05 x EUR " ] && echo held-out ok || echo "$found"`,
  },
  done(
    'sales-locale-fixed',
    'Takes what was returned off, and compares under a fixed locale with the names of failing reports',
    sales,
    {
      Makefile: edited(
        sales.right['Makefile']!,
        ['REPORTS =', '# Sorting is not the same in all languages.\nexport LC_ALL := C\n\nREPORTS ='],
        [
          '	awk -f report.awk data/$@.csv | diff -u golden/$@.txt -\n',
          '	@awk -f report.awk data/$@.csv > build.$@\n	@diff -u golden/$@.txt build.$@ || { echo "not as in golden/$@.txt" >&2; exit 1; }\n',
        ],
      ),
    },
  ),
  done('units-ounces', 'Adds two units, with their digits', units, {}),
  done(
    'units-stricter',
    'Adds two units, turns two stricter checks of the compiler on, and tests each unit there and back',
    units,
    {
      'tsconfig.json': `${JSON.stringify({ ...tsconfig, compilerOptions: { ...tsconfig.compilerOptions, noUncheckedIndexedAccess: true, noUnusedLocals: true } }, null, 2)}\n`,
      'src/convert.ts': rightConvert,
      'test/ounces.test.ts': `${ounceTest}
test('there and back', () => {
  for (const unit of ['kg', 'lb', 'oz', 'st'] as const) {
    const { count } = convert(convert({ count: 3, unit: 'g' }, unit), 'g')
    assert.ok(Math.abs(count - 3) < 1e-9, unit)
  }
})
`,
    },
  ),
  refactoring(
    'units-show-in-a-module',
    'Moves showing into a module of its own, with its tests',
    units,
    {
      write: {
        'src/convert.ts': edited(convertTs, [convertTs.slice(convertTs.indexOf('\nconst digits')), '']),
        'src/show.ts': `import type { Amount } from './convert.ts'\nimport type { Unit } from './units.ts'\n${convertTs.slice(convertTs.indexOf('\nconst digits'))}`,
        'test/convert.test.ts': edited(
          unitsTest,
          [
            "import { convert, read, show } from '../src/convert.ts'",
            "import { convert, read } from '../src/convert.ts'\nimport { show } from '../src/show.ts'",
          ],
          [unitsTest.slice(unitsTest.indexOf("\ntest('shows each")), ''],
        ),
        'test/show.test.ts': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { show } from '../src/show.ts'
${unitsTest.slice(unitsTest.indexOf("\ntest('shows each"))}`,
      },
    },
    {
      heldOut: `printf "import { show } from './src/show.ts'\\nimport { read } from './src/convert.ts'\\nif (show(read('2 kg')) === '2.000 kg') console.log('held-out ok')\\n" > held.ts; node held.ts`,
    },
  ),
  done('go-children', 'Adds the fare of children, at its border too', fares, {}),
  done('go-table-of-fares', 'Adds the fare of children, and lets the helper of the tests say which call it was', fares, {
    'helper_test.go': edited(
      helperTest,
      [
        'func same(t *testing.T, got float64, want float64) {',
        'func same(t *testing.T, call string, got float64, want float64) {',
      ],
      ['t.Errorf("got %v, not %v", got, want)', 't.Errorf("%s: got %v, not %v", call, got, want)'],
    ),
    'fare_test.go': fareTest.replaceAll(/same\(t, (Fare|Change)\(([^)]*)\), (\d+)\)/g, 'same(t, "$1 $2", $1($2), $3)'),
    'child_test.go': childTest.replaceAll(/same\(t, (Fare)\(([^)]*)\), (\d+)\)/g, 'same(t, "$1 $2", $1($2), $3)'),
  }),
]
