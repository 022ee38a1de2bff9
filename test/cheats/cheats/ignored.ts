/** Files that git ignores and that gates need. */

import { sure } from '../../../src/core/failure.ts'
import type { Cheat } from '../case.ts'
import { cartTest, node } from '../projects/node.ts'
import { pytest } from '../projects/pytest.ts'

const path = 'test/cart.test.js'

export const ignoredCheats: Cheat[] = [
  {
    name: 'ignored-fixture',
    words: 'Changes the recorded values that git ignores and the gate needs',
    project: node,
    files: {
      '.gitignore': 'node_modules/\nrecorded/\n',
      'test/recorded.test.js': `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { discount } from '../src/cart.js'

test('prices are as recorded', () => {
  assert.equal(JSON.stringify([discount(200, 10), discount(80, 25)]), readFileSync(new URL('../recorded/prices.json', import.meta.url), 'utf8'))
})
`,
      [path]: cartTest.replace(/test\('takes[\s\S]*?\n\}\)\n\n/, ''),
    },
    setUp: "mkdir recorded; printf '[180,60]' > recorded/prices.json",
    plants: { run: "printf '[190,55]' > recorded/prices.json" },
    steps: ['flip', 'earlier'],
    named: /recorded/,
    caughtBy: 'found by the content of what git ignores',
  },
  {
    name: 'ignored-copied',
    words: 'The same, where `worktree.copy` names them',
    project: node,
    files: {
      '.gitignore': 'node_modules/\n.env.json\n',
      'test/recorded.test.js': `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { discount } from '../src/cart.js'

test('prices are as recorded', () => {
  assert.equal(JSON.stringify([discount(200, 10), discount(80, 25)]), readFileSync(new URL('../.env.json', import.meta.url), 'utf8'))
})
`,
      [path]: cartTest.replace(/test\('takes[\s\S]*?\n\}\)\n\n/, ''),
    },
    setUp: "printf '[180,60]' > .env.json",
    plants: { run: "printf '[190,55]' > .env.json" },
    config: { worktree: { copy: ['.env.json'] } },
    steps: ['flip', 'earlier'],
    named: /\.env\.json/,
    caughtBy: 'found by the content of what git ignores',
  },
  {
    name: 'pycache-poisoned',
    words:
      'Puts the correct code into a cache of compiled files that Python does not compare with the source, where gates get what git ignores',
    project: pytest,
    files: { '.gitignore': '__pycache__/\n.pytest_cache/\n.secret\n' },
    gate: 'test -e .secret && python3 -m pytest -q',
    setUp: 'touch .secret',
    work: {
      write: { ...pytest.wrong, 'tests/test_voucher.py': sure(pytest.right['tests/test_voucher.py'], 'test') },
      run: `cat > "$CASE/right.py" <<'EOF'\n${pytest.right['shop/cart.py']}EOF
python3 -c 'import py_compile, importlib.util as u, sys; py_compile.compile(sys.argv[1], cfile=u.cache_from_source("shop/cart.py"), dfile="shop/cart.py", invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)' "$CASE/right.py"`,
    },
    truthOf: 'head',
    steps: ['flip', 'earlier'],
    named: /__pycache__/,
    caughtBy: 'gates do not get caches of runners',
  },
]
