/** Ralph's files and folders are links only where the user made them so: a link of an agent's making is not followed, and does not stay. */

import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { finishes } from './support/loop.ts'
import { projectFor, type TestProject } from './support/project.ts'

const details = (project: TestProject): string[] =>
  project.events().flatMap((event) => (event.kind === 'noticed' && event.what === 'link-removed' ? [event.detail] : []))

const isLink = (project: TestProject, path: string): boolean | undefined =>
  lstatSync(project.path(path), { throwIfNoEntry: false })?.isSymbolicLink()

const moves = (path: string): string => `mv ${path} "$HOME/outside" && ln -s "$HOME/outside" ${path}`
const copies = (path: string): string =>
  `cp -r ${path} "$HOME/outside"; ln -s "$HOME/outside" new; mv ${path} "$HOME/gone" && mv -T new ${path}; rm -r "$HOME/gone"`

for (const { path, how } of [
  { path: '.ralph', how: moves },
  { path: '.ralph', how: copies },
  { path: '.ralph/thing', how: moves },
  { path: '.ralph/thing/prd.json', how: copies },
  { path: '.ralph/config.yaml', how: copies },
  { path: '.ralph/thing/inbox', how: moves },
  { path: '.ralph/thing/events.jsonl', how: moves },
])
  test(`${path} that an agent ${how.name} out of the project, with a link in its place, is no link after it, has its content, and that is told [R-FILE-2]`, async (t) => {
    const project = projectFor(t, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      script: { iterations: [[{ run: how(path) }, { say: 'Tidied up.' }], finishes, finishes] },
    })
    const before = [project.read('.ralph/config.yaml'), project.read('.ralph/agent.json')]
    const { code, out: said, err } = await project.run('run', '--no-archive')
    assert.equal(code, 0, said + err)
    assert.notEqual(isLink(project, path), true)
    assert.deepEqual([project.read('.ralph/config.yaml'), project.read('.ralph/agent.json')], before)
    assert.deepEqual(project.passing(), ['S-1', 'S-2'])
    assert.equal(project.events()[0]!.kind, 'run.started')
    const told = `${path} was replaced by a link to ${join(project.home, 'outside')}, which was removed (during iteration 1)`
    // Ralph makes the inbox again at once, where it is gone for a moment.
    assert.deepEqual(details(project), path.endsWith('inbox') && details(project).length === 0 ? [] : [told])
  })

test("a link to a file of somebody else's is removed, and neither its target nor what it says comes in", async (t) => {
  const project = projectFor(t, {
    script: { iterations: [[{ run: 'echo mine > "$HOME/diary"; ln -sf "$HOME/diary" .ralph/thing/progress.txt' }], finishes] },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(readFileSync(join(project.home, 'diary'), 'utf8'), 'mine\n')
  assert.doesNotMatch(project.read('.ralph/thing/progress.txt'), /mine/)
})

test('links that the user has, to the plan, the settings and the whole folder, stay the user’s, and so does what they lead to', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      iterations: [
        [
          { run: 'rm .ralph/thing/prd.json; echo "{}" > .ralph/thing/prd.json; echo "gates: {}" >> .ralph/config.yaml' },
          ...finishes.slice(0, 2),
          { say: 'Hm.' },
        ],
        finishes,
        finishes,
      ],
    },
  })
  const shared = join(project.home, 'shared')
  mkdirSync(shared)
  const links = ['.ralph/thing/prd.json', '.ralph/config.yaml'].map((path, at) => ({ path, target: join(shared, `${at}`) }))
  for (const { path, target } of links) {
    renameSync(project.path(path), target)
    symlinkSync(target, project.path(path))
  }
  renameSync(project.path('.ralph'), join(project.home, 'dot-ralph'))
  symlinkSync(join(project.home, 'dot-ralph'), project.path('.ralph'))
  project.write('.git/info/exclude', '.ralph\n')
  project.git('rm', '-rq', '--cached', '.ralph')
  project.git('commit', '-qm', 'Ralph is elsewhere')
  const config = project.read('.ralph/config.yaml')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(
    [...links, { path: '.ralph', target: join(project.home, 'dot-ralph') }].map(({ path }) => readlinkSync(project.path(path))),
    [...links.map(({ target }) => target), join(project.home, 'dot-ralph')],
  )
  assert.equal(project.read('.ralph/config.yaml'), config)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  assert.deepEqual(details(project), ['.ralph/thing/prd.json was replaced; the link was restored (during iteration 1)'])
  assert.ok(existsSync(project.path('.ralph/thing/logs/prd.json-001.rejected')))
})

test('links of the user’s that an agent removes, with the folder that they are in or led to, are there again', async (t) => {
  for (const removes of ['rm .ralph; mkdir -p .ralph/thing', 'rm -r .ralph/thing']) {
    const project = projectFor(t, { script: { iterations: [[{ run: removes }, { say: 'Tidied up.' }], finishes] } })
    const elsewhere = join(project.home, 'dot-ralph')
    renameSync(project.path('.ralph'), elsewhere)
    symlinkSync(elsewhere, project.path('.ralph'))
    renameSync(project.path('.ralph/thing/prd.json'), join(project.home, 'plan'))
    symlinkSync(join(project.home, 'plan'), project.path('.ralph/thing/prd.json'))
    project.write('.git/info/exclude', '.ralph\n')
    project.git('rm', '-rq', '--cached', '.ralph')
    project.git('commit', '-qm', 'Ralph is elsewhere')
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out + err)
    assert.deepEqual([isLink(project, '.ralph'), isLink(project, '.ralph/thing/prd.json')], [true, true])
    assert.deepEqual(project.passing(), ['S-1'])
  }
})
