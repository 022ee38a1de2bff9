/** Another branch than the run's is checked out, by an agent or by the user: requests still count, and every view says where the work is. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { untilEvent, untilFile } from './support/processes.ts'
import { type ProjectSketch, quickProjectFor, type Steps, type TestProject } from './support/project.ts'
import { hold, meet, stories, work } from './support/together.ts'

const branch = 'feature/thing'

/** S-1 passes, S-2 fails at its only attempt and passes later; then main is checked out. */
async function failedProject(t: TestContext, sketch: ProjectSketch = {}): Promise<TestProject> {
  const project = quickProjectFor(t, {
    stories: stories(2),
    branch,
    config: { gates: { tests: 'test ! -e bad.txt' }, defaults: { max_attempts: 1 } },
    script: {
      stories: { 'S-1': [work('S-1')], 'S-2': [work('S-2', { run: 'test -e "$HOME/fixed" || touch bad.txt' })] },
    },
    ...sketch,
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 1, out)
  project.write('../home/fixed', '')
  project.git('switch', '-q', 'main')
  return project
}

const passes = (project: TestProject): string[] =>
  JSON.parse(project.git('show', `${branch}:.ralph/thing/prd.json`)).userStories.flatMap(
    (story: { id: string; passes: boolean }) => (story.passes ? [story.id] : []),
  )

test('retry and skip after switching to another branch count for the branch of the run, and leave the plan here alone', async (t) => {
  const project = await failedProject(t)
  const before = project.read('.ralph/thing/prd.json')
  const status = await project.run('status')
  assert.match(
    status.out,
    /^Checkout: +The last run worked on feature\/thing; this checkout is on main\. To go there: git switch feature\/thing$/m,
  )
  const why = await project.run('why', '--json')
  assert.match(JSON.parse(why.out).next, /^git switch feature\/thing && ralph retry S-2 && ralph run/)
  assert.match((await project.run('skip', 'S-2')).out, /^Skipped S-2\./)
  const retried = await project.run('retry', 'S-2')
  assert.match(
    retried.out,
    /^Reopened S-2 with all its attempts\. The last run worked on feature\/thing; this checkout is on main\. Continue with: git switch feature\/thing && ralph run$/m,
  )
  assert.equal(project.read('.ralph/thing/prd.json'), before)
  // From here `run` switches itself, because nothing is uncommitted.
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /^Switched to feature\/thing$/m)
  assert.deepEqual(passes(project), ['S-1', 'S-2'])
})

test('retry and skip to a paused run while another branch is checked out count for the run’s branch, and leave the plan here alone', async (t) => {
  const project = quickProjectFor(t, {
    stories: stories(3),
    branch,
    config: { gates: { tests: 'test ! -e bad.txt' }, defaults: { max_attempts: 1 } },
    script: {
      stories: {
        'S-1': [[{ run: 'test -e "$HOME/fixed" || touch bad.txt' }, ...work('S-1')]],
        'S-2': [work('S-2', meet('S-2'), hold('go'))],
        'S-3': [work('S-3')],
      },
    },
  })
  const run = project.start('run', '--no-archive')
  await untilFile(project, '../home/here-S-2')
  assert.equal((await project.run('pause')).code, 0)
  project.write('../home/go', '')
  await untilEvent(project, 'run.paused')
  project.git('switch', '-q', 'main')
  const before = project.read('.ralph/thing/prd.json')
  project.write('../home/fixed', '')
  for (const args of [
    ['retry', 'S-1'],
    ['skip', 'S-3'],
    ['say', 'a note'],
  ]) {
    const { code, err } = await project.run(...args)
    assert.equal(code, 0, err)
  }
  await untilEvent(project, 'said')
  assert.deepEqual([project.read('.ralph/thing/prd.json'), project.git('status', '--porcelain')], [before, ''])
  project.git('switch', '-q', branch)
  assert.equal((await project.run('resume')).code, 0)
  const { code, out, err } = await run.ended
  assert.equal(code, 0, out + err)
  assert.deepEqual(passes(project), ['S-1', 'S-2'])
  assert.deepEqual(
    JSON.parse(project.git('show', `${branch}:.ralph/thing/prd.json`)).userStories.map(({ skip = false }) => skip),
    [false, false, true],
  )
})

test('a skip that was asked for on another branch is in the plan of the run’s branch afterwards', async (t) => {
  const project = await failedProject(t)
  await project.run('retry', 'S-2')
  await project.run('skip', 'S-2')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.plan().userStories.find(({ id }) => id === 'S-2')?.['skip'], true)
  assert.deepEqual(passes(project), ['S-1'])
})

test('where a branch has no plan at all, retry knows the story, and run and doctor say which branch has it and start nothing', async (t) => {
  const project = await failedProject(t)
  project.git('rm', '-q', '--cached', '.ralph/thing/prd.json')
  project.git('commit', '-qm', 'without the plan')
  rmSync(project.path('.ralph/thing/prd.json'))
  const unknown = await project.run('retry', 'S-9')
  assert.equal(unknown.code, 64)
  assert.match(unknown.err, /No story "S-9" in the plan of the last run, which is on feature\/thing\..* Stories: S-1, S-2/)
  assert.equal((await project.run('retry', 'S-2')).code, 0)
  const refused = await project.run('run')
  assert.equal(refused.code, 65, refused.out)
  assert.match(
    refused.err,
    /\.ralph\/thing has no plan on main: the last run worked on feature\/thing\. Run: git switch feature\/thing && ralph run/,
  )
  assert.match(
    (await project.run('doctor')).out,
    /^✗ plan +\.ralph\/thing has no plan on main: the last run worked on feature\/thing\./m,
  )
  assert.equal(project.has('.ralph/thing/prd.json'), false)
  project.git('switch', '-q', branch)
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
})

test('a deleted branch is named with the command that brings it back: it is not made anew, and no passed story is paid twice', async (t) => {
  const project = await failedProject(t)
  project.git('branch', '-q', '-D', branch)
  const retried = await project.run('retry', 'S-2')
  const refused = await project.run('run')
  assert.equal(refused.code, 65, refused.out)
  assert.match(refused.err, /feature\/thing was deleted\. .* main does not have the work of S-1\. .* ralph run --fresh/)
  assert.deepEqual(project.git('branch', '--list', branch), '')
  const command = /Continue with: git (switch -c feature\/thing \w+) && ralph run/.exec(retried.out)?.[1] ?? ''
  assert.notEqual(command, '', retried.out)
  project.git(...command.split(' '))
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual([project.has('S-1.txt'), project.has('S-2.txt')], [true, true])
  assert.equal(project.events().filter(({ kind }) => kind === 'iteration.started').length, 3)
})

test('a deleted branch that was merged is made anew; with --fresh also one that was not', async (t) => {
  const merged = await failedProject(t)
  merged.git('merge', '-q', '--no-edit', branch)
  merged.git('branch', '-q', '-D', branch)
  await merged.run('retry', 'S-2')
  const first = await merged.run('run', '--no-archive')
  assert.equal(first.code, 0, first.out + first.err)
  const fresh = await failedProject(t)
  fresh.git('branch', '-q', '-D', branch)
  const again = await fresh.run('run', '--fresh', '--no-archive')
  assert.match(again.out, /^Created branch feature\/thing$/m)
})

test('a branch that another worktree has checked out: run and retry say which, and how to free it', async (t) => {
  const project = await failedProject(t)
  const place = project.path('../other place')
  project.git('worktree', 'add', '-q', place, branch)
  const retried = await project.run('retry', 'S-2')
  assert.match(
    retried.out,
    /feature\/thing is checked out in .*other place, and git checks out a branch in one worktree only\. Continue with: git -C '.*other place' switch --detach && git switch feature\/thing && ralph run/,
  )
  const refused = await project.run('run')
  assert.equal(refused.code, 65, refused.out)
  assert.match(
    refused.err,
    /The plan's branch feature\/thing is checked out in .*other place.* Free it \(git -C '.*' switch --detach\)/,
  )
  project.git('-C', place, 'switch', '-q', '--detach')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
})

test('from a detached HEAD run switches to the branch, and says which commit leads back', async (t) => {
  const project = await failedProject(t)
  project.git('checkout', '-q', '--detach')
  project.git('commit', '-q', '--allow-empty', '-m', 'mine')
  const mine = project.git('rev-parse', 'HEAD').slice(0, 10)
  assert.match(
    (await project.run('retry', 'S-2')).out,
    /this checkout is on a detached HEAD\. Continue with: git switch feature\/thing/,
  )
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, new RegExp(`^Switched to feature/thing \\(git switch --detach ${mine} leads back\\)$`, 'm'))
})

test('a plan without a branch that continues on another one: the start and the summary say where the work of the last run is', async (t) => {
  const project = await failedProject(t, { branch: '' })
  project.git('switch', '-q', '-c', 'other', 'HEAD~9'.replace('9', `${project.git('rev-list', '--count', 'HEAD~1').trim()}`))
  await project.run('retry', 'S-2')
  const { out } = await project.run('run', '--no-archive')
  const told =
    /The last run worked on main, this one works on other, which does not have the work of S-1\. To continue there: git switch main && ralph run\./
  assert.match(out, new RegExp(`^  ! ${told.source}$`, 'm'))
  assert.match(out, new RegExp(`^Branch: +${told.source}$`, 'm'))
})

test('work on a detached HEAD has no name: the summary says how to keep it', async (t) => {
  const project = quickProjectFor(t, { script: { otherwise: work('S-1') } })
  project.git('checkout', '-q', '--detach')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /^Work: +a detached HEAD at \w{10} \(git switch -c <name> makes it a branch\)$/m)
})

test('the user switches while an agent works: the run was not killed, every view says why it stopped and how to continue', async (t) => {
  const project = quickProjectFor(t, {
    stories: stories(2),
    branch,
    script: { stories: { 'S-1': [work('S-1')], 'S-2': [work('S-2', meet('S-2'), hold('go')), work('S-2')] } },
  })
  const run = project.start('run', '--no-archive')
  await untilFile(project, '../home/here-S-2')
  project.git('switch', '-q', '-c', 'mine')
  project.write('../home/go', '')
  const first = await run.ended
  assert.equal(first.code, 65, first.out)
  const status = await project.run('status')
  assert.match(status.out, /^State: +stopped before its end$/m)
  assert.match(
    status.out,
    /^Because: +\S+ is on mine, but this run works on feature\/thing\. Switch back \(git switch feature\/thing\)/m,
  )
  const why = await project.run('why')
  assert.match(why.out, /^Run \S+ stopped before its end at .*\nBecause: +\S+ is on mine, but this run works on feature\/thing/)
  assert.match(why.out, /^Next: +git switch feature\/thing && ralph run {2}# continues where it stopped$/m)
  assert.match((await project.run('report')).out, /: not ended \(\S+ is on mine, but this run works on feature\/thing/)
  project.git('switch', '-q', branch)
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  const told = 'mine was checked out during iteration 2: the run stopped. Its work is on feature/thing.'
  assert.ok(out.includes(`Branch:      ${told}`), out)
  assert.ok(project.read('.ralph/thing/report.md').includes(`## Branch\n\n- ${told}`))
  assert.deepEqual(JSON.parse((await project.run('status', '--json')).out).branchNotes, [told])
  assert.ok((await project.run('report', '--html', '-')).out.includes(told))
})

test('commits that an agent leaves on a branch of its own are in the summary, with the command that takes them; so are those it could not bring along', async (t) => {
  const aside: Steps = [
    { run: 'git switch -q -c aside && echo x > aside.txt && git add aside.txt && git commit -qm aside && git switch -q -' },
  ]
  const project = quickProjectFor(t, {
    stories: stories(2),
    branch,
    script: {
      stories: {
        'S-1': [work('S-1', ...aside)],
        'S-2': [work('S-2', { run: 'git checkout -q main' }), work('S-2', { expect: { prompt: 'git merge main' } })],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  const left = project.git('rev-parse', 'aside').slice(0, 10)
  assert.ok(
    out.includes(
      `Branch:      iteration 1 left commits on aside (${left}) that are not on feature/thing: git log feature/thing..aside shows them, git merge aside takes them.`,
    ),
    out,
  )
  assert.match(
    out,
    /^Branch: +iteration 2: its commits are not on feature\/thing, but on main \(\w+\)\. To take them: git merge main\.$/m,
  )
  assert.match(out, /^Work: +feature\/thing$/m)
  assert.match((await project.run('why')).out, /^Branch: +iteration 1 left commits on aside/m)
})

test('commits that an agent leaves on a detached HEAD are in the summary, with the command that takes them; those that it took along are not', async (t) => {
  const detached = (name: string, then: string): Steps[number] => ({
    run: `git checkout -q --detach && echo ${name} > ${name}.txt && git add ${name}.txt && git commit -qm ${name} && git rev-parse HEAD > "$HOME/${name}" && git checkout -q ${branch} ${then}`,
  })
  const project = quickProjectFor(t, {
    stories: stories(3),
    branch,
    script: {
      stories: {
        'S-1': [work('S-1', detached('lost', ''))],
        'S-2': [
          work('S-2', detached('picked', '&& git commit -q --allow-empty -m other && git cherry-pick $(cat "$HOME/picked")')),
        ],
        'S-3': [work('S-3', detached('amended', '&& git merge -q $(cat "$HOME/amended") && git commit -q --amend -m reworded'))],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  const left = project.read('../home/lost').slice(0, 10)
  const told = `iteration 1 left commits without a branch (${left}) that are not on feature/thing: git log feature/thing..${left} shows them, git merge ${left} takes them.`
  assert.deepEqual(out.match(/^Branch: .*$/gm), [`Branch:      ${told}`], out)
  assert.match((await project.run('why')).out, /^Branch: +iteration 1 left commits without a branch/m)
  project.git('merge', '-q', '--no-edit', left)
  assert.equal(project.read('lost.txt'), 'lost\n')
})

test('with several workers: a story whose agent leaves commits elsewhere is told, and a switch of the user names the command back', async (t) => {
  const project = quickProjectFor(t, {
    stories: stories(2),
    branch,
    script: {
      stories: {
        'S-1': [work('S-1', { run: 'git switch -q -c aside && git commit -q --allow-empty -m aside && git switch -q -' })],
        'S-2': [work('S-2', meet('S-2'), hold('go')), work('S-2')],
      },
    },
  })
  const run = project.start('run', '--no-archive', '--parallel', '2')
  await untilFile(project, '../home/here-S-2')
  project.git('switch', '-q', '-c', 'mine')
  project.write('../home/go', '')
  const { code, out } = await run.ended
  assert.equal(code, 2, out)
  assert.match(
    out,
    /^Because: +iteration \d: \S+ is on mine, but this run works on feature\/thing: switch back \(git switch feature\/thing\), then run again\. The work is safe on wip\/ralph-work-thing-S-\d/m,
  )
  assert.match(out, /^Branch: +iteration 1 left commits on aside \(\w+\)/m)
})

test('a worktree of the feature that somebody switched to another branch: the command names its folder, and the next run switches back', async (t) => {
  const project = quickProjectFor(t, { script: { otherwise: [{ say: 'Not yet.' }] } })
  assert.equal((await project.run('run', '--worktree', '-n', '1')).code, 1)
  const all = join(project.home, '.ralph/worktrees')
  const [name = ''] = readdirSync(all).filter((each) => existsSync(join(all, each, '.features')))
  const place = join(all, name, '.features/thing')
  project.git('-C', place, 'switch', '-q', '-c', 'aside')
  const said = await project.run('retry', 'S-1')
  assert.ok(said.out.includes(`${place} is on aside. Continue with: git -C ${place} switch feature/thing && ralph run`), said.out)
  const { out } = await project.run('run', '-n', '1')
  assert.match(out, /^Switched to feature\/thing$/m)
  assert.equal(project.git('-C', place, 'branch', '--show-current'), 'feature/thing')
})
