import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { ensureIgnored, ignored, removePipes } from './gitignore.ts'

/** Every private file at every place where Ralph keeps a feature, and files beside them that are worth committing. */
const ownFiles = ['events.jsonl', 'status.json', 'inbox/1.json', 'logs/iteration-001.log', 'logs/deep/x', 'blocked.txt']
const moreFiles = ['decide.txt', 'state.md', 'report.html', '.archive.tmp-name']
const hidden = ['thing', 'lock', 'archive/2026-01-09-thing', 'archive/2026-01-09-thing-2'].flatMap((folder) =>
  [...ownFiles, ...moreFiles].map((name) => `${folder}/${name}`),
)
const shown = ['config.yaml', 'thing/prd.json', 'thing/specs/logs/a.md', 'archive/2026-01-09-thing/prd.json', 'lock/progress.txt']

/** What git would add of `.ralph/`, in a repository with these rules from before. */
function seenByGit(t: { after(done: () => void): void }, before: (path: string) => void): string[] {
  const root = tempFolder(t)
  const env = { PATH: process.env['PATH'], HOME: root, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' })
  git('init', '-q')
  for (const name of [...hidden, ...shown, 'logs/2026-01-09-thing/iteration-001.log']) {
    mkdirSync(dirname(join(root, '.ralph', name)), { recursive: true })
    writeFileSync(join(root, '.ralph', name), 'x')
  }
  before(join(root, '.ralph', '.gitignore'))
  ensureIgnored(root)
  const seen = git('status', '--porcelain', '--untracked-files=all', '--', '.ralph').split('\n').filter(Boolean)
  return seen.map((line) => line.replace('?? .ralph/', '')).filter((name) => name !== '.gitignore')
}

/** As it was written before the archive had logs in it. */
const older = `# What only this machine needs; everything else here is worth committing.
*/events.jsonl
*/status.json
*/inbox/
*/logs/
/logs/
/lock
!/lock/
archive/*/events.jsonl
*.tmp-*
`

test('no private file is visible to git, in a feature or in the archive, whatever the rules were before', (t) => {
  assert.deepEqual(seenByGit(t, () => {}).sort(), [...shown].sort(), 'no rules yet')
  assert.deepEqual(seenByGit(t, (path) => writeFileSync(path, older)).sort(), [...shown].sort(), 'rules of an older version')
  assert.deepEqual(seenByGit(t, (path) => writeFileSync(path, '')).sort(), [...shown].sort(), 'an empty file')
  const asLink = (path: string): void => {
    writeFileSync(`${path}-real.tmp-x`, ignored)
    symlinkSync(`${path}-real.tmp-x`, path)
  }
  assert.deepEqual(seenByGit(t, asLink).sort(), [...shown].sort(), 'a link, which git does not follow')
})

test('what people wrote into the rules stays, and a rule that they turned around is not added again', (t) => {
  const own = 'thing/big.bin\n!*/report.html\n# */state.md'
  let path = ''
  const seen = seenByGit(t, (at) => {
    path = at
    writeFileSync(at, own)
  })
  const text = readFileSync(path, 'utf8')
  assert.ok(text.startsWith(`${own}\n*/events.jsonl\n`), text)
  assert.deepEqual(
    seen.filter((name) => !shown.includes(name)),
    ['lock/report.html', 'lock/state.md', 'thing/report.html', 'thing/state.md'],
  )
  const times = text.split('\n').filter((line) => line === '*/events.jsonl').length
  assert.equal(times, 1)
})

test('rules that are whole already are not written again', (t) => {
  const root = tempFolder(t)
  mkdirSync(join(root, '.ralph'))
  ensureIgnored(root)
  ensureIgnored(root)
  assert.equal(readFileSync(join(root, '.ralph', '.gitignore'), 'utf8'), ignored)
})

test('a named pipe where git reads rules is removed before git waits for it', (t) => {
  const root = tempFolder(t)
  mkdirSync(join(root, '.ralph'))
  writeFileSync(join(root, '.gitignore'), 'dist/\n')
  const pipes = [join(root, '.ralph', '.gitignore'), join(root, '.gitattributes')]
  execFileSync('mkfifo', pipes)
  assert.deepEqual([removePipes(root), removePipes(root)], [pipes, []])
  assert.equal(readFileSync(join(root, '.gitignore'), 'utf8'), 'dist/\n')
})
