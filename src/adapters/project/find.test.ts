import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { tempFolder } from '../../../test/support/folder.ts'
import { Failure } from '../../core/failure.ts'
import { chooseFeature, currentBranch, featureName, findRoot, gitDir, listFeatures, lockPath, ralphHome } from './find.ts'

/** A folder with these files; a path that ends in a slash is a folder. */
function tree(files: Record<string, string>): string {
  const root = tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(path.endsWith('/') ? join(root, path) : dirname(join(root, path)), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(join(root, path), text)
  }
  return root
}

const plan = (branchName: string, passes: boolean[]): string =>
  JSON.stringify({
    feature: 'x',
    branchName,
    description: '',
    createdAt: '2026-01-01T00:00:00Z',
    userStories: passes.map((done, i) => ({
      id: `S-${i}`,
      title: 'T',
      description: '',
      acceptanceCriteria: [],
      priority: 1,
      passes: done,
      notes: '',
    })),
  })

test('R-FILE-4 the root is the nearest folder with .ralph/, else the git top level, else the working directory', () => {
  const top = tree({
    '.git/HEAD': '',
    'app/.ralph/': '',
    'app/src/deep/': '',
    'other/': '',
    'home/.ralph/': '',
    'home/work/': '',
  })
  const home = join(top, 'home', '.ralph')
  assert.equal(findRoot(join(top, 'app/src/deep'), home), join(top, 'app'))
  assert.equal(findRoot(join(top, 'app'), home), join(top, 'app'))
  assert.equal(findRoot(join(top, 'other'), home), top)
  assert.equal(findRoot(join(top, 'home/work'), home), top)
  assert.equal(findRoot(join(top, 'home/work'), join(top, 'elsewhere')), join(top, 'home'))
  const bare = tree({ 'a/b/': '' })
  assert.equal(findRoot(join(bare, 'a/b'), home), join(bare, 'a/b'))
})

test('RALPH_HOME moves what belongs to the user', () => {
  assert.equal(ralphHome({ HOME: '/home/ann' }), '/home/ann/.ralph')
  assert.equal(ralphHome({ HOME: '/home/ann', RALPH_HOME: '/data/r' }), '/data/r')
  assert.equal(ralphHome({ HOME: '/home/ann', RALPH_HOME: '' }), '/home/ann/.ralph')
})

test('the branch is read from HEAD, also in a subfolder and in a linked worktree', () => {
  const top = tree({
    'main/.git/HEAD': 'ref: refs/heads/main\n',
    'main/sub/': '',
    'main/.git/worktrees/wt/HEAD': 'ref: refs/heads/feature/login\n',
    'wt/.git': 'gitdir: ../main/.git/worktrees/wt\n',
    'detached/.git/HEAD': '3f786850e387550fdab836ed7e6dc881de23001b\n',
    'reftable/.git/HEAD': 'ref: refs/heads/.invalid\n',
  })
  const branches = ['main', 'main/sub', 'wt', 'detached', 'reftable', '.'].map((name) => currentBranch(join(top, name)))
  assert.deepEqual(branches, ['main', 'main', 'feature/login', null, null, null])
  assert.equal(gitDir(join(top, 'wt')), join(top, 'main/.git/worktrees/wt'))
  assert.equal(gitDir(top), null)
  assert.equal(lockPath(join(top, 'wt')), join(top, 'main/.git/worktrees/wt/ralph.lock'))
  assert.equal(lockPath(top), join(top, '.ralph/lock'))
})

test('R-FILE-1 a name is taken exactly when it follows the rule', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  const follows = (text: string): boolean =>
    text !== '' &&
    letters.includes(text[0]!) &&
    [...text].every((letter) => `${letters}._-`.includes(letter)) &&
    !['archive', 'templates', 'logs'].includes(text)
  const isTaken = (text: string): boolean => {
    try {
      return featureName(text) === text
    } catch (error) {
      assert.ok(error instanceof Failure && error.exit === 64)
      return false
    }
  }
  const nearly = fc.string({ unit: fc.constantFrom('a', 'Z', '9', '.', '_', '-', '/', ' ', '\n', 'é', '\0', '\\'), maxLength: 8 })
  const known = fc.constantFrom('archive', 'templates', 'logs', 'logs2', '../x', '.', '..', '', 'a\n', '42-gear', 'a..b')
  fc.assert(fc.property(fc.oneof(nearly, known, fc.string()), (text) => assert.equal(isTaken(text), follows(text))))
})

test('a refused name says what a name takes', () => {
  assert.throws(
    () => featureName('../x'),
    new Failure(
      64,
      '"../x" is not a valid feature name: use letters, digits, ".", "_" and "-", starting with a letter or digit, and not archive, templates or logs.',
    ),
  )
  assert.throws(() => featureName('my feature'), /not archive, templates or logs\. Did you mean my-feature\?$/)
})

test('features are the folders of .ralph/ that have the name of one', () => {
  const root = tree({
    '.ralph/b/': '',
    '.ralph/a/': '',
    '.ralph/archive/': '',
    '.ralph/logs/': '',
    '.ralph/.x/': '',
    '.ralph/config.yaml': '',
  })
  assert.deepEqual(listFeatures(root), ['a', 'b'])
  assert.deepEqual(listFeatures(join(root, 'nowhere')), [])
})

test('the feature asked for must exist', async () => {
  const root = tree({ '.ralph/login/': '', '.ralph/payments/': '' })
  assert.equal(await chooseFeature(root, { asked: 'login', currentBranch: null }), 'login')
  const refused = (asked: string, message: string) =>
    assert.rejects(chooseFeature(root, { asked, currentBranch: null }), new Failure(64, message))
  await refused('lgoin', 'No feature "lgoin". Did you mean login? Features: login, payments')
  await refused('zebra', 'No feature "zebra". Features: login, payments')
  await assert.rejects(
    chooseFeature(tree({}), { asked: 'login', currentBranch: null }),
    new Failure(64, 'No feature "login". Create it with: ralph init login'),
  )
})

test('the feature of the checked-out branch comes first', async () => {
  const root = tree({ '.ralph/a/prd.json': plan('feature/a', [false]), '.ralph/b/prd.json': plan('feature/b', [true]) })
  assert.equal(await chooseFeature(root, { currentBranch: 'feature/b' }), 'b')
})

test('then the only one with open stories, whatever its plan is called', async () => {
  const root = tree({
    '.ralph/a/prd.json': plan('feature/a', [true]),
    '.ralph/b/fix_plan.md': '- [x] one\n- [ ] two\n',
    '.ralph/c/': '',
  })
  assert.equal(await chooseFeature(root, { currentBranch: 'main' }), 'b')
  assert.equal(await chooseFeature(root, { currentBranch: null }), 'b')
})

test('then the last one run', async () => {
  const open = plan('', [false])
  const root = tree({
    '.ralph/a/prd.json': open,
    '.ralph/a/events.jsonl': '',
    '.ralph/b/prd.json': open,
    '.ralph/b/events.jsonl': '',
    '.ralph/c/prd.json': open,
  })
  utimesSync(join(root, '.ralph/a/events.jsonl'), 2000, 2000)
  utimesSync(join(root, '.ralph/b/events.jsonl'), 1000, 1000)
  assert.equal(await chooseFeature(root, { currentBranch: null }), 'a')
})

test('else nobody knows, and the list is shown', async () => {
  const root = tree({
    '.ralph/a/prd.json': plan('x', [false]),
    '.ralph/b/prd.json': plan('x', [false]),
    '.ralph/c/prd.json': '{',
  })
  await assert.rejects(
    chooseFeature(root, { currentBranch: 'x' }),
    new Failure(64, 'Several features. Choose one with -f: a, b, c'),
  )
})

test('a single feature is meant even when its plan is broken, so that its run can say what is wrong', async () => {
  assert.equal(await chooseFeature(tree({ '.ralph/a/prd.json': '{' }), { currentBranch: null }), 'a')
})

test('without any feature the way to make one is shown', async () => {
  const root = tree({})
  const message = `No feature in ${root} yet. Create one with: ralph init <feature>`
  await assert.rejects(chooseFeature(root, { currentBranch: null }), new Failure(64, message))
})

test('without any feature the plan and prompt of an older form are pointed to, with the command that takes both over', async () => {
  const pointer = async (files: Record<string, string>) => {
    const root = tree(files)
    const name = root.slice(root.lastIndexOf('/') + 1)
    const error = (await chooseFeature(root, { currentBranch: null }).catch((error: unknown) => error)) as Failure
    return [error.exit, error.message.replaceAll(root, 'ROOT').replaceAll(name, 'NAME')]
  }
  const start = 'No feature in ROOT yet, but'
  const end = '. Or create a new one with: ralph init <feature>'
  assert.deepEqual(await pointer({ 'PROMPT.md': 'Do it.', '@fix_plan.md': '- [ ] a' }), [
    64,
    `${start} @fix_plan.md and PROMPT.md are there. Import with: ralph import @fix_plan.md -f NAME --yes (PROMPT.md becomes its prompt.md)${end}`,
  ])
  assert.deepEqual(await pointer({ '.ralph/fix_plan.md': '- [ ] a' }), [
    64,
    `${start} .ralph/fix_plan.md is there. Import with: ralph import .ralph/fix_plan.md -f NAME --yes${end}`,
  ])
  assert.deepEqual(await pointer({ 'PROMPT.md': 'Do it.' }), [
    64,
    `${start} PROMPT.md is there. To turn it into stories: ralph import PROMPT.md -f NAME. Or run it without a plan: mkdir -p .ralph/NAME && cp PROMPT.md .ralph/NAME/prompt.md && ralph run${end}`,
  ])
})

test('a feature that was archived is not called unknown: it is told where it is', async () => {
  const root = tree({
    '.ralph/archive/2026-01-09-login/x': '',
    '.ralph/archive/2026-01-09-login-10/x': '',
    '.ralph/archive/notes/x': '',
  })
  const where = join('.ralph', 'archive', '2026-01-09-login-10')
  const gone = `No open feature in ${root}: the last one is archived in ${where}. Create one with: ralph init <feature>`
  await assert.rejects(chooseFeature(root, { currentBranch: null }), new Failure(64, gone))
  const known = `The feature "login" is in ${where}: ralph status -f login shows it. To create a new one: ralph init login`
  await assert.rejects(chooseFeature(root, { asked: 'login', currentBranch: null }), new Failure(64, known))
  const other = 'No feature "log". Create it with: ralph init log'
  await assert.rejects(chooseFeature(root, { asked: 'log', currentBranch: null }), new Failure(64, other))
})
