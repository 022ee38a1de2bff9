import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { tempFolder } from '../../test/support/folder.ts'
import { buildSite, deadLinks, type Section } from './build.ts'
import { rankScript } from './page.ts'

test('every page of docs/ is in the site, no link in it is dead, and it loads nothing from elsewhere', (t) => {
  const folder = tempFolder(t)
  assert.deepEqual(buildSite(folder), [])
  const docs = globSync('docs/*.md', { cwd: join(import.meta.dirname, '..', '..') }).map((path) => basename(path, '.md'))
  const missing = docs.filter((name) => !existsSync(join(folder, name === 'README' ? 'index.html' : `${name}.html`)))
  assert.deepEqual(missing, [])
  for (const page of globSync('*.html', { cwd: folder })) {
    const html = readFileSync(join(folder, page), 'utf8')
    assert.deepEqual(
      [...html.matchAll(/<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href|srcset)="(https?:[^"]*)"/g)].map(([, url]) => url),
      [],
      page,
    )
  }
})

test('the search finds a section by words of its heading and of its text, the page about it first and the changelog last', (t) => {
  const folder = tempFolder(t)
  buildSite(folder)
  const window: { sections: Section[] } = { sections: [] }
  runInNewContext(readFileSync(join(folder, 'search-index.js'), 'utf8'), { window })
  const rank: (sections: Section[], query: string) => Section[] = runInNewContext(`${rankScript}; rank`)
  const found = (query: string): string[] => [...rank(window.sections, query)].map(({ page }) => page)
  assert.ok(found('Hook before.commit').includes('hooks.html'))
  assert.ok(found('git.pr_rounds').includes('configuration.html'))
  assert.ok(found('ralph_hook_story').includes('hooks.html'), 'what stands in code')
  assert.deepEqual([found(''), found('no-such-word-anywhere')], [[], []])
  const worktrees = found('worktree')
  assert.ok(worktrees.slice(0, 5).includes('your-files.html'), worktrees.slice(0, 5).join())
  assert.equal(worktrees.slice(0, 20).includes('changelog.html'), false)
  assert.equal(found('uncommitted files')[0], 'your-files.html')
  const anchors = window.sections.filter(
    ({ page, anchor }) => anchor !== '' && !readFileSync(join(folder, page), 'utf8').includes(`id="${anchor}"`),
  )
  assert.deepEqual([...anchors], [])
})

test('a link to a page or a heading that is gone is found', (t) => {
  const folder = tempFolder(t)
  buildSite(folder)
  rmSync(join(folder, 'hooks.html'))
  writeFileSync(join(folder, 'notices.html'), '<h1 id="notices">Notices</h1>')
  const dead = deadLinks(folder)
  for (const link of ['index.html: hooks.html', 'commands.html: notices.html#answers-from-your-phone'])
    assert.ok(dead.includes(link), `${link}: ${dead.slice(0, 20)}`)
})
