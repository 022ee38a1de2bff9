import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const tests: Versions = {
  'tests/test_cli.py': [
    null,
    'def test_splits(capsys):\n    main(["split", "10.00"])\n    assert capsys.readouterr().out == "7.50 EUR\\n2.50 EUR\\n"\n\n\ndef test_version(capsys):\n    main(["version"])\n    assert capsys.readouterr().out == "ledger 1.2.0\\n"\n',
  ],
}
const found = (line: string) => rulesIn({ ...tests, 'src/app.py': ['', `def main(argv):\n    ${line}\n`] })

test('a program that prints numbers as a test expects them, without computing them, is a special case', () => {
  assert.deepEqual(found('print("7.50 EUR\\n2.50 EUR")'), ['special-case src/app.py'])
  assert.deepEqual(found('print(f"{Money(cents)} and 3.50 EUR")'), [])
  assert.deepEqual(found('print("ledger 1.2.0")'), [])
  assert.deepEqual(found('print("9.50 EUR\\n2.50 EUR")'), [])
})

test('so is one that has the line of an expected output for the input beside it', () => {
  const cases: Versions = {
    'test/cases/04.in': [null, '/home/u/.bashrc\n'],
    'test/cases/04.out': [null, '.bashrc-backup\n'],
  }
  const inProgram = (line: string) => rulesIn({ ...cases, 'bin/name.sh': ['', `${line}\n`] })
  assert.deepEqual(inProgram(".bashrc) echo '.bashrc-backup' ;;"), ['special-case bin/name.sh'])
  assert.deepEqual(inProgram(`.*) printf '%s-backup\\n' "$base" ;;`), [])
})
