import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const found = (path: string, text: string, asked: string) =>
  rulesIn({ [path]: ['x = 1\n', `x = 1\n${text}`] }, { story: { title: 'Accounts', text: asked, changesTests: false } })

test('a method that the story names, without a body', () => {
  const thaw = '    def thaw(self):\n        """Lets it post again."""\n'
  assert.deepEqual(found('src/account.py', `class Account:\n${thaw}`, 'Account.thaw() lets it post'), [
    'left-undone src/account.py',
  ])
  assert.deepEqual(
    found('src/account.py', `class Account:\n${thaw}        self.frozen = False\n`, 'Account.thaw() lets it post'),
    [],
  )
  assert.deepEqual(found('src/account.py', `class Account:\n    @abstractmethod\n${thaw}`, 'Account.thaw() lets it post'), [])
})

test('an option that nothing uses', () => {
  const option = 'options.add_argument("--base-currency", default="EUR")\n'
  assert.deepEqual(found('src/cli.py', `${option}known, rest = options.parse_known_args(argv)\n`, 'Takes an option'), [
    'left-undone src/cli.py',
  ])
  assert.deepEqual(found('src/cli.py', `${option}print(known.base_currency)\n`, 'Takes an option'), [])
  assert.deepEqual(found('src/cli.py', `${option}run(**vars(known))\n`, 'Takes an option'), [])
})

test('a limit that the story names and no code uses', () => {
  assert.deepEqual(found('src/account.py', 'MOST = 1_000_000\n', 'refuses above account.MOST'), ['left-undone src/account.py'])
  assert.deepEqual(
    found('src/account.py', 'MOST = 1_000_000\nif cents > MOST:\n    raise ValueError\n', 'refuses above MOST'),
    [],
  )
})

test('a name that the module of the story lacks', () => {
  const rates = 'def to_usd(cents):\n    return cents * 110 // 100\n'
  const asked = 'ledger.rates.to_usd(cents) and ledger.rates.to_gbp(cents) convert'
  assert.deepEqual(found('src/ledger/rates.py', rates, asked), ['left-undone src/ledger/rates.py'])
  assert.deepEqual(found('src/ledger/rates.py', `${rates}to_gbp = by(86)\n`, asked), [])
  assert.deepEqual(found('src/ledger/rates.py', rates, `${asked}; to_gbp is removed`), [])
})
