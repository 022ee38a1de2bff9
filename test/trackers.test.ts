/** `ralph import --from <tracker>` and `tracker.sync`, through the built program, against a server on this machine. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { projectFor, type TestProject } from './support/project.ts'
import { madeTrackers } from './support/trackers.ts'

const label = ['--label', 'agent:ready']

async function shop(t: TestContext): Promise<{ made: TestProject; tracker: Awaited<ReturnType<typeof madeTrackers.github>> }> {
  const tracker = await madeTrackers.github(t)
  const made = projectFor(t)
  const { PATH: _none, ...env } = tracker.env
  Object.assign(made.env, env)
  made.git('remote', 'add', 'origin', 'git@github.com:ann/shop.git')
  rmSync(made.path('.ralph/thing'), { recursive: true })
  return { made, tracker }
}

test('issues with a label become features, each once; nobody there to look needs --yes [R-SRC-1]', async (t) => {
  const { made, tracker } = await shop(t)
  const unseen = await made.run('import', '--from', 'github', ...label)
  assert.deepEqual([unseen.code, made.has('.ralph/issue-7')], [64, false])
  assert.match(unseen.err, /Nothing was written, because nobody is here to check the stories\. To accept them unchecked: --yes\./)

  tracker.issues[0]!.comments.push({
    id: '903',
    author: 'bob',
    body: `My key is ${tracker.env['GITHUB_TOKEN']}_0123456789abcdefghij`,
  })
  tracker.issues[0]!.body += '\n\nAKIAIOSFODNN7EXAMPLE'
  const first = await made.run('import', '--from', 'github', ...label, '--yes')
  assert.equal(first.code, 0, first.err)
  assert.match(
    first.out,
    /^Created feature issue-7\. 2 stories from issue 7 of ann\/shop written to \.ralph\/issue-7\/prd\.json\.$/m,
  )
  const plan = JSON.parse(made.read('.ralph/issue-7/prd.json'))
  const source = 'https://github.com/ann/shop/issues/7'
  assert.deepEqual([plan.branchName, plan.description], ['feature/issue-7', 'Store wishes'])
  assert.deepEqual(
    plan.userStories.map((story: Record<string, unknown>) => [story['title'], story['source']]),
    [
      ['First', source],
      ['Second', source],
    ],
  )
  assert.match(made.read('.ralph/issue-7/specs/issue-7.md'), /## Comment 1 by @bob, \S+\n\n~~~text\nAnd a bell\?\n~~~/)
  const files = made.read('.ralph/issue-7/prd.json') + made.read('.ralph/issue-7/specs/issue-7.md')
  assert.doesNotMatch(files + first.out, /ghp_good|AKIAIOSFODNN7EXAMPLE/)
  assert.equal(made.has('.ralph/issue-9/prd.json'), true)
  tracker.issues[3]!.labels.push('agent:ready')
  const again = await made.run('import', '--from', 'github', ...label, '--yes')
  assert.match(again.out, /^Imported before: 7 \(issue-7\), 9 \(issue-9\)\.\n/)
  assert.match(again.out, /Created feature issue-10\./)
})

test('or stories of one feature, which a run keeps up to date on the issues, and a fleet can find', async (t) => {
  const { made, tracker } = await shop(t)
  const { code, err } = await made.run('import', '--from', 'github', ...label, '--each', 'story', '-f', 'wishes', '--yes')
  assert.equal(code, 0, err)
  const { userStories } = JSON.parse(made.read('.ralph/wishes/prd.json'))
  assert.deepEqual(
    userStories.map(({ id, title, acceptanceCriteria }: Record<string, unknown>) => [id, title, acceptanceCriteria]),
    [
      ['S-1', 'Store wishes', ['First', 'Second']],
      ['S-2', 'Show them', ['First', 'Second']],
    ],
  )
  made.write('.ralph/config.yaml', `${made.read('.ralph/config.yaml')}tracker: {sync: true}\n`)
  made.git('add', '-A')
  made.git('commit', '-qm', 'plan')
  const run = await made.run('run', '-n', '1', '-f', 'wishes')
  const labels = (): string[][] => [0, 2].map((place) => tracker.issues[place]!.labels.filter((name) => name !== 'agent:ready'))
  assert.deepEqual([run.code, labels()], [1, [['agent:in-progress'], ['P1', 'agent:review']]], run.out)
  const said = (): (string | undefined)[] => [0, 2].map((place) => tracker.issues[place]!.comments.at(-1)?.body)
  assert.match(said()[1] ?? '', /Ralph is done, please review: 1 of 1 story done \(feature wishes\)\.$/)
  assert.match(said()[0] ?? '', /Ralph stopped for now: 0 of 1 story done \(feature wishes\)\. /)
  const counts = tracker.issues.map(({ comments }) => comments.length)
  made.env['GITHUB_TOKEN'] = 'ghp_bad'
  const refused = await made.run('run', '-f', 'wishes')
  assert.equal(refused.code, 0)
  assert.match(
    refused.out,
    /^! Could not set "agent:review" on https:\/\/github\.com\/ann\/shop\/issues\/7: github\.com rejects the login/m,
  )
  assert.deepEqual(
    tracker.issues.map(({ comments }) => comments.length),
    counts,
  )
})

test('what cannot be imported says why', async (t) => {
  const { made } = await shop(t)
  for (const [args, words] of [
    [['--from', 'github'], /Say which issues: ralph import --from github --label agent:ready/],
    [['--from', 'github', ...label, '-f', 'x'], /To put them into one: --each story -f <feature>/],
    [['--from', 'github', ...label, '--each', 'epic'], /--each is "epic"; expected feature or story\./],
    [['notes.md', '--from', 'github', ...label], /takes the issues with a label, not a file/],
    [[], /Name a document or a plan, or a tracker with a label/],
    [['x.json', '--from', 'trello'], /expected one of snarktank, .*, or a tracker: github, gitlab, linear, jira, beads\./],
  ] as [string[], RegExp][]) {
    const { code, err } = await made.run('import', ...args)
    assert.deepEqual([args, code], [args, 64])
    assert.match(err, words)
  }
  const none = await made.run('import', '--from', 'github', '--label', 'nobody')
  assert.deepEqual([none.code, none.out], [0, 'No open issue has the label nobody.\n'])
})
