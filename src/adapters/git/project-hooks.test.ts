import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed } from '../../../test/support/repository.ts'
import { isProjectHook } from './project-hooks.ts'

const says = (word: string): string => `#!/bin/sh\necho ${word}\n`

test('hooks of the project that changed are copied as they were, those that husky calls one folder above too', async () => {
  const place = await committed({ '.husky/pre-commit': says('old'), '.husky/_/pre-commit': says('h'), 'a.txt': 'a\n' })
  place.sh('config', 'core.hooksPath', '.husky/_')
  const hooks = await place.git.keepHooks()
  assert.equal(hooks?.asBegun(place.git), null)
  place.write({ '.husky/pre-commit': says('new'), '.husky/post-commit': says('new') })
  const begun = hooks?.asBegun(place.git)
  assert.deepEqual(begun?.changed.sort(), ['.husky/post-commit', '.husky/pre-commit'])
  const copied = (name: string): string => readFileSync(join(begun!.from, name), 'utf8')
  assert.deepEqual([copied('pre-commit'), copied('../pre-commit')], [says('h'), says('old')])
  assert.equal(existsSync(join(begun!.from, '../post-commit')), false)
})

test('a hook that was made executable is another one; a folder that is gone runs nothing', async () => {
  const place = await committed({ 'hooks/pre-commit': says('old') })
  place.sh('config', 'core.hooksPath', 'hooks')
  const hooks = await place.git.keepHooks()
  chmodSync(join(place.top, 'hooks/pre-commit'), 0o755)
  assert.deepEqual(hooks?.asBegun(place.git)?.changed, ['hooks/pre-commit'])
  rmSync(join(place.top, 'hooks'), { recursive: true })
  assert.equal(hooks?.asBegun(place.git), null)
})

test('hooks in .git, or elsewhere on the machine, are not the project’s', async () => {
  const place = await committed()
  assert.equal(await place.git.keepHooks(), null)
  place.sh('config', 'core.hooksPath', '.git/hooks')
  assert.equal(await place.git.keepHooks(), null)
  place.sh('config', 'core.hooksPath', '/nowhere')
  assert.equal(await place.git.keepHooks(), null)
})

test('a hook of the repository is the project’s own if it is the copy of one of its files, or a link to one', async () => {
  const { top } = await committed({ 'scripts/pre-commit.sh': says('checks') })
  const isProjects = (content: string): boolean => isProjectHook(top, '.git/hooks/pre-commit', content)
  assert.deepEqual([says('checks'), '→ ../../scripts/pre-commit.sh\n', `→ ${top}/scripts/pre-commit.sh\n`].map(isProjects), [
    true,
    true,
    true,
  ])
  assert.deepEqual([says('other'), '→ ../../../pre-commit.sh\n', '→ /bin/true\n'].map(isProjects), [false, false, false])
})
