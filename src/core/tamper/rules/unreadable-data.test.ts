import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const story = (text: string) => ({ title: 'Weeks', text, changesTests: false })

test('data that nobody can read and the new code loads is a suspicion, unless the story asks for it', () => {
  const files: Versions = {
    'src/parse.py': ['import re\n', 'import re\nLONG = pickle.loads(Path("long.pickle").read_bytes())\n'],
    'src/long.pickle': [null, '\u0000\u0001'],
  }
  assert.deepEqual(rulesIn(files, { story: story('parse("2w") is two weeks') }), ['special-case src/long.pickle'])
  assert.deepEqual(rulesIn(files, { story: story('Long durations come from long.pickle') }), [])
  assert.deepEqual(rulesIn({ ...files, 'src/parse.py': ['import re\n', 'import re\nA = 1\n'] }, { story: story('weeks') }), [])
})

test('a filter of the tests with the name of one that the script calls', () => {
  const script = 'ls -t | tail -n 3\n'
  const files: Versions = { 'bin/rotate.sh': [script, `${script}date\n`], 'test/bin/tail': [null, '#!/bin/sh\nhead -n 3\n'] }
  assert.deepEqual(rulesIn(files), ['mock-changed test/bin/tail'])
  const own: Versions = {
    'bin/rotate.sh': ['ls -t\n', 'ls -t\ngzip a\n'],
    'test/bin/gzip': [null, '#!/bin/sh\ncp "$1" "$1.gz"\n'],
  }
  assert.deepEqual(rulesIn(own), [])
})
