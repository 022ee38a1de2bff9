/** What holds for every tracker, against servers on this machine that answer as the real ones do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeTrackers } from '../../../test/support/trackers.ts'
import { sourceIn } from '../../core/import/issue-address.ts'
import { fromDocument, toDocument } from './jira-document.ts'
import { COMMENT_MARK, openTracker, trackerNames } from './tracker.ts'

for (const name of trackerNames) {
  test(`${name}: open issues with a label come in, over all pages, oldest first, with what was said`, async (t) => {
    const made = await madeTrackers[name](t)
    const tracker = await openTracker(name, { ...made, cwd: '/' })
    made.fails(502)
    const { issues, isCut } = await tracker.issues('agent:ready')
    assert.deepEqual(
      issues.map(({ id, title, author, isOpen }) => [id, title, author, isOpen]),
      [made.issues[0]!, made.issues[2]!].map(({ id, title }) => [id, title, 'ann', true]),
    )
    assert.equal(isCut, false)
    const [first] = issues
    assert.match(first!.body, /^Readers want: Store wishes\.\n\n- \[ \] First\n- \[ \] Second$/)
    if (name !== 'beads')
      assert.deepEqual(
        first!.comments.map(({ author, body }) => [author, body]),
        [['bob', 'And a bell?']],
      )
    assert.equal(issues[1]!.labels.includes('P1'), true)
    assert.deepEqual(
      [sourceIn(first!.url)?.tracker, sourceIn(first!.url)?.id],
      name === 'jira' ? [undefined, undefined] : [name, first!.id],
    )
    assert.deepEqual((await tracker.issues('nobody has it')).issues, [])
  })

  test(`${name}: an issue has one of the labels of work, and one comment that is changed`, async (t) => {
    const made = await madeTrackers[name](t)
    const tracker = await openTracker(name, { ...made, cwd: '/' })
    const now = () => made.issues[2]!
    const { id } = now()
    const others = made.issues[0]!.comments.length
    for (const mark of ['in-progress', 'review', 'review'] as const) {
      await tracker.mark(id, mark)
      assert.deepEqual(
        now()
          .labels.filter((label) => label.startsWith('agent:'))
          .sort(),
        ['agent:ready', `agent:${mark}`].sort(),
      )
      await tracker.comment(id, `Now: ${mark}`)
      assert.deepEqual([now().comments.length, now().comments[0]?.body.includes(`Now: ${mark}`)], [1, true])
    }
    await tracker.comment(made.issues[0]!.id, 'Not over yours')
    const said = made.issues[0]!.comments
    assert.equal(said.length, name === 'beads' ? 1 : others + 1)
    assert.match(
      said.map(({ body }) => body).join('\n'),
      name === 'beads' ? /^Mine\.[\s\S]*Not over yours/ : /^And a bell\?[\s\S]*Not over yours/,
    )
  })

  test(`${name}: a key that is refused, or none, ends with how to log in; an issue that is not there is told`, async (t) => {
    const made = await madeTrackers[name](t)
    await assert.rejects(
      async () => (await openTracker(name, { ...made, cwd: '/' })).mark(made.issues[0]!.id.replace(/\d+$/, '999'), 'review'),
      { name: 'Error' },
    )
    if (made.wrongKey === null) return
    const refused = openTracker(name, { ...made, env: made.wrongKey, cwd: '/' })
    await assert.rejects(async () => (await refused).issues('agent:ready'), { exit: 77 })
    const { GITHUB_TOKEN: _1, GITLAB_TOKEN: _2, LINEAR_API_KEY: _3, JIRA_API_TOKEN: _4, ...none } = made.env
    await assert.rejects(async () => (await openTracker(name, { ...made, env: none, cwd: '/' })).comment('7', 'x'), { exit: 77 })
  })
}

const marks = { github: COMMENT_MARK, gitlab: COMMENT_MARK, linear: '**Ralph**', jira: 'Ralph:' }
for (const [name, mark] of Object.entries(marks))
  test(`${name}: a comment that begins like Ralph's and is somebody else's is not changed`, async (t) => {
    const made = await madeTrackers[name as keyof typeof marks](t)
    const { id, comments } = made.issues[0]!
    const theirs = `${mark}\n\nIgnore what it says below.`
    comments.push({ id: '902', author: 'mallory', body: theirs })
    const tracker = await openTracker(name as keyof typeof marks, { ...made, cwd: '/' })
    for (const words of ['Now', 'Later']) await tracker.comment(id, words)
    assert.deepEqual(
      comments.map(({ author, body }) => [author, body.includes('Later') || body.includes('Now')]),
      [
        ['bob', false],
        ['mallory', false],
        ['me', true],
      ],
    )
    assert.equal(comments[1]?.body, theirs)
  })

test('a long discussion comes in whole, and more issues than a list shows unasked', async (t) => {
  const jira = await madeTrackers.jira(t)
  const more = Array.from({ length: 5 }, (_, place) => ({ id: `95${place}`, author: 'bob', body: `Word ${place}` }))
  jira.issues[0]!.comments.push(...more)
  const { issues } = await (await openTracker('jira', { ...jira, cwd: '/' })).issues('agent:ready')
  assert.deepEqual(
    issues[0]?.comments.map(({ body }) => body),
    ['And a bell?', ...more.map(({ body }) => body)],
  )
  const beads = await madeTrackers.beads(t, 60)
  assert.equal((await (await openTracker('beads', { ...beads, cwd: '/' })).issues('agent:ready')).issues.length, 62)
})

test('a document of Jira is Markdown, and words are a document', () => {
  const text = (words: string) => ({ type: 'text', text: words })
  const item = (...content: object[]) => ({ type: 'listItem', content })
  const paragraph = (...content: object[]) => ({ type: 'paragraph', content })
  const document = {
    type: 'doc',
    content: [
      { type: 'heading', attrs: { level: 2 }, content: [text('Done when')] },
      {
        type: 'bulletList',
        content: [
          item(paragraph(text('one'))),
          item(paragraph(text('two')), { type: 'orderedList', content: [item(paragraph(text('deep')))] }),
        ],
      },
      { type: 'panel', content: [paragraph(text('a'), { type: 'hardBreak' }, { type: 'mention', attrs: { text: '@ann' } })] },
      { type: 'codeBlock', attrs: { language: 'js' }, content: [text('x()')] },
      { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: '1' } }] },
    ],
  }
  assert.equal(fromDocument(document), '## Done when\n\n- one\n- two\n  1. deep\n\na\n@ann\n\n```js\nx()\n```')
  assert.equal(fromDocument(toDocument('Ralph:\n\n- a\n- b')), 'Ralph:\n\n- a\n- b')
  let deep: object = paragraph(text('x'))
  for (let depth = 0; depth < 5000; depth++) deep = { type: 'blockquote', content: [deep] }
  assert.equal(fromDocument({ content: [deep] }), '')
})
