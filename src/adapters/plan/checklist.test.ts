import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFailed, withPasses, withSkip } from './change-story.ts'
import { parsePlan } from './parse-plan.ts'

/** id, `x` or `-` for skip, and what it waits for. */
const outline = async (...lines: string[]): Promise<string[]> => {
  const { plan } = await parsePlan('fix_plan.md', lines.join('\n'))
  return plan.stories.map((story) =>
    [story.id, story.passes ? 'x' : '', story.skip ? '-' : '', ...story.dependsOn].filter(Boolean).join(' '),
  )
}

test('R-PLAN-2 a checklist is a plan: whole value', async () => {
  const text = '# Plan\r\n\r\n- [ ] **Log in** with [a password](x.md)\r\n  See the spec.\r\n  - [X] Form\r\n'
  const plain = { skip: false, exitSignal: false, gates: {} }
  assert.deepEqual(await parsePlan('.ralph/x/@fix_plan.md', text), {
    file: '.ralph/x/@fix_plan.md',
    text,
    plan: {
      file: '@fix_plan.md',
      branch: '',
      stories: [
        { ...plain, id: 'form', title: 'Form', priority: 1, passes: true, dependsOn: [] },
        {
          ...plain,
          id: 'log-in-with-a-password',
          title: '**Log in** with [a password](x.md)',
          priority: 2,
          passes: false,
          dependsOn: ['form'],
        },
      ],
      marks: 'log',
    },
    texts: {
      form: { description: '', acceptanceCriteria: [], notes: '' },
      'log-in-with-a-password': { description: 'See the spec.', acceptanceCriteria: [], notes: '' },
    },
    warnings: [],
    feature: '',
    description: '',
  })
})

test('boxes count with every bullet, nested, in headings, bare and glued; other brackets do not', async () => {
  assert.deepEqual(
    await outline(
      ...['- [ ] dash', '* [x] star', '+ [X] plus', '1. [ ] one', '2) [x] two', '## [ ] heading', '\t- [ ] tab'],
      ...[
        '- [2026-01-29] note',
        '- [NOTE] x',
        '- [v1.0] x',
        '- [#123] x',
        '- [x]glued',
        '[ ] bare',
        'text - [ ] inside',
        '- [x](link)',
      ],
    ),
    ['dash', 'star x', 'plus x', 'one', 'two x', 'heading', 'tab', 'glued x', 'bare'],
  )
})

test('L01 three done items are three stories that pass', async () => {
  assert.deepEqual(await outline('- [x] a', '- [x] b', '- [x] c'), ['a x', 'b x', 'c x'])
})

test('L02 L05 brackets that are no boxes make no stories', async () => {
  const text = '- [2026-01-29] note\n- [NOTE]\n- [v1.0]\n- [#123]\n'
  await assert.rejects(parsePlan('fix_plan.md', text), {
    exit: 65,
    message: 'fix_plan.md:1:1: no stories yet: run "ralph plan", or add one as a line such as "- [ ] Log in with a password"',
  })
})

test('L04 open items under optional headings and their subsections do not count, done ones do', async () => {
  assert.deepEqual(
    await outline(
      ...['# Plan', '- [x] a', '## Optional', '- [ ] b', '- [x] c', '### More', '- [ ] d', '## Must', '- [ ] e'],
      ...[
        '## 🔮 Future:',
        '### sub',
        '- [ ] f',
        '# Next',
        '- [ ] g',
        '## Nice-to-have ##',
        '- [ ] h',
        '## Future proofing',
        '- [ ] i',
      ],
      ...['', 'Future Enhancements', '---', '- [ ] j', '', 'Text', '', '---', '- [ ] k', '', 'Top', '===', '- [ ] l'],
    ),
    ['a x', 'b -', 'c x', 'd -', 'e', 'f -', 'g', 'h -', 'i', 'j -', 'k -', 'l'],
  )
})

test('children come before their parents, whatever stands between', async () => {
  assert.deepEqual(
    await outline(
      ...['- [ ] a', '  - [x] b', '', '    - [ ] c', '  - group', '    - [ ] d', '- [x] e', '  text', '   * [ ] f'],
      ...['- group', '  - [ ] g', '- [ ] h', '', 'A paragraph.', '', '  - [ ] i', '- [ ] j', '## Heading', '  - [ ] k'],
    ),
    ['c', 'b x c', 'd', 'a b d', 'f', 'e x f', 'g', 'h', 'i', 'j', 'k'],
  )
})

test('text right below an item belongs to it, and does not end its list', async () => {
  assert.deepEqual(await outline('- [ ] a', 'more of a', '  - [ ] b'), ['b', 'a b'])
})

test('code blocks and comments hold no stories', async () => {
  assert.deepEqual(
    await outline(
      ...['- [ ] a', '  ```md', '  - [ ] code', '  ~~~', '  ```', '- [ ] b', '~~~~', '- [ ] code', '~~~', '- [ ] code', '~~~~'],
      ...['<!-- - [ ] comment -->', '- [ ] c', '<!--', '- [ ] comment', '-->', '- [ ] d'],
    ),
    ['a', 'b', 'c', 'd'],
  )
})

test('ids are slugs; a text that comes again gets a number', async () => {
  const long = 'word '.repeat(40).trim()
  assert.deepEqual(
    await outline(
      '- [ ] Fix it',
      '- [ ] Fix: it!',
      '- [ ] fix it 2',
      '- [ ] Fix it',
      '- [ ] ✨',
      `- [ ] ${long}`,
      '- [ ] Größe ändern',
    ),
    [
      'fix-it',
      'fix-it-2',
      'fix-it-2-2',
      'fix-it-3',
      'item',
      'word-word-word-word-word-word-word-word-word-word-word-word',
      'größe-ändern',
    ],
  )
})

test('odd lines are warnings', async () => {
  const { warnings } = await parsePlan('fix_plan.md', '- [ ] a\n- [ ]\n- [] b\n```\n')
  assert.deepEqual(warnings, [
    'fix_plan.md:2:1: checkbox without text is ignored',
    'fix_plan.md:3:1: "[]" counts as open; write "[ ]", or "[x]" if it is done',
    'fix_plan.md:5:1: code block is not closed; items inside it are ignored',
  ])
})

/** Each of these has been taken for nothing, so that a plan with it beside done items was complete. */
const oddItems = [
  '### - [ ] Task',
  '## [ ] Task ##',
  '- [ ]Task',
  '-[ ] Task',
  '*[ ]Task',
  '1.[ ] Task',
  '> - [ ] Task',
  '>> * [ ] Task',
  '> [ ] Task',
  '- [~] Task',
  '+ [-] Task',
  '- [/] Task',
  '- [?] Task',
  '- [\u00a0] Task',
  '- [\u3000] Task',
  '- [\u200b] Task',
  '-\u00a0[ ]\u00a0Task',
  '\u200b- [ ] Task',
  '- \u200b[ ] Task',
  '* [] Task',
  '- []Task',
  '- [  ] Task',
  '- [\t] Task',
  '\t-\t[ ]\tTask',
  '1. [ ] Task',
  '12) [ ] Task',
  '• [ ] Task',
  '– [ ] Task',
  '- ［ ］ Task',
  '- ［　］Task',
  '- \\[ \\] Task',
  '- - [ ] Task',
  '[ ] Task',
  '**[ ]** Task',
]

test('an item with an open box is open however it is written, and its flip changes nothing but the box', async () => {
  for (const line of oddItems)
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `# Plan${end}${end}- [x] Done${end}${line}${end}- [x] Also done${end}`
      const plan = await parsePlan('fix_plan.md', text)
      const open = plan.plan.stories.filter((story) => !story.passes)
      assert.deepEqual([open.length, plan.plan.stories.length], [1, 3], line)
      assert.match(open[0]!.title, /Task/, line)
      const { text: flipped } = await withPasses(plan, open[0]!.id, true)
      const at = flipped.indexOf('x', text.indexOf(line))
      assert.equal(flipped.slice(0, at), text.slice(0, at), line)
      assert.ok(
        [0, 1].some((gone) => flipped.slice(at + 1) === text.slice(at + gone)),
        line,
      )
      const again = await parsePlan('fix_plan.md', flipped)
      assert.equal(
        again.plan.stories.every((story) => story.passes),
        true,
        line,
      )
      const reopened = await withPasses(again, open[0]!.id, false)
      assert.equal(reopened.plan.stories.find(({ id }) => id === open[0]!.id)?.passes, false, line)
    }
})

test('a done box is done however it is written', async () => {
  for (const line of [
    '- [ x ] Task',
    '- [X]Task',
    '-[x] Task',
    '> - [x] Task',
    '### [x] Task',
    '- [✓] Task',
    '- [✅] Task',
    '［ｘ］ Task',
  ]) {
    const { plan } = await parsePlan('fix_plan.md', `${line}\n`)
    assert.deepEqual(
      plan.stories.map(({ passes, title }) => [passes, title]),
      [[true, 'Task']],
      line,
    )
  }
})

test('a box that is no item is named with its place', async () => {
  const cases: Record<string, string> = {
    '| [ ] | Task |': 'checkbox in a table is ignored; write it as a line such as "- [ ] Log in"',
    '| Task | [] |': 'checkbox in a table is ignored; write it as a line such as "- [ ] Log in"',
    '- Task [ ]': 'checkbox inside a line is ignored; start the line with it, such as "- [ ] Log in"',
    'text - [ ] inside': 'checkbox inside a line is ignored; start the line with it, such as "- [ ] Log in"',
    '- [x] Task - [ ] Other': 'second checkbox on a line is ignored; give it its own line',
    '- [x] Task\u2028- [ ] Other': 'second checkbox on a line is ignored; give it its own line',
    '- [v] Task': '"[v]" is not a checkbox; write "[ ]" or "[x]"',
    '- ☐ Task': '"☐" is not a checkbox; write "- [ ]"',
    '<li><input type="checkbox"> Task</li>': 'HTML checkbox is ignored; write "- [ ]"',
    '- [ ](Task)': 'checkbox inside a line is ignored; start the line with it, such as "- [ ] Log in"',
    '<!-- note --> - [ ] Task': 'checkbox after a comment is ignored; give it its own line',
    '```\n- [ ] Task\n```': 'open checkbox in a code block is ignored',
    '- [~] Task': '"[~]" counts as open; write "[ ]", or "[x]" if it is done',
  }
  for (const [line, message] of Object.entries(cases)) {
    const { warnings } = await parsePlan('fix_plan.md', `- [x] Done\n${line}\n`)
    assert.deepEqual(warnings, [`fix_plan.md:${line.startsWith('```') ? 3 : 2}:1: ${message}`], line)
  }
  const { warnings } = await parsePlan('fix_plan.md', '- [x] Done\n<!-- note\n- [ ] Task\n')
  assert.deepEqual(warnings, ['fix_plan.md:4:1: comment is not closed; items inside it are ignored'])
  for (const line of [
    'Write `- [ ]` for each.',
    'const list: string[] = []',
    'a[ ] b',
    '- [1] A footnote',
    '> [!NOTE]',
    '- [a link](b.md)',
  ])
    assert.deepEqual((await parsePlan('fix_plan.md', `- [x] Done\n${line}\n`)).warnings, [], line)
})

test('a flip changes one character; failed and skip live elsewhere', async () => {
  const text = '\uFEFF# Plan\r\n1. [ ] a\r\n   - [x] b\r\n'
  const plan = await parsePlan('fix_plan.md', text)
  const done = await withPasses(plan, 'a', true)
  assert.equal(done.text, text.replace('[ ] a', '[x] a'))
  assert.equal((await withPasses(done, 'a', false)).text, text)
  assert.equal(await withFailed(plan, 'a', { branch: '', reason: '', at: '' }), plan)
  assert.equal(await withSkip(plan, 'a', true), plan)
})

test('an item called like a thing that every object has gets an id of its own', async () => {
  assert.deepEqual(await outline('- [ ] Constructor', '- [ ] constructor'), ['constructor-2', 'constructor-3'])
})
