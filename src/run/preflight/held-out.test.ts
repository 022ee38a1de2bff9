import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import type { SettingSource } from '../../config/sources.ts'
import { loadSettings } from '../../config/sources.ts'
import { type OpenedHeldOut, openHeldOut } from './held-out.ts'

const base = tempFolder()
const [root, home, checks] = ['shop', 'me', 'me/checks'].map((name) => join(base, name)) as [string, string, string]
for (const folder of [join(root, '.git'), checks, join(base, 'checks-of-shop')]) mkdirSync(folder, { recursive: true })
for (const path of [join(checks, 'run.sh'), join(home, 'alone.sh'), join(root, 'own.sh')]) writeFileSync(path, '')
const env = { HOME: home, PATH: '/usr/bin:/bin' }

async function opened(
  value: string,
  { config = {}, source = 'user', head = 'c1' as string | null, git = true }: Given = {},
): Promise<OpenedHeldOut> {
  const loaded = await loadSettings({ root, home: join(home, '.ralph'), env, flags: {} })
  const settings = { ...loaded.settings, 'gates.tests': 'npm test', ...config, 'proof.held_out': value }
  const sources = { ...loaded.sources, 'proof.held_out': source }
  return openHeldOut(
    { settings, sources },
    { root, home: join(home, '.ralph'), env, git: git ? { head: async () => head } : null },
  )
}
type Given = { config?: Record<string, unknown>; source?: SettingSource; head?: string | null; git?: boolean }

test('a folder, a command with what it names, and nothing', async () => {
  assert.deepEqual(await opened(''), {})
  assert.deepEqual(await opened('~/checks'), { heldOut: { folder: checks } })
  assert.deepEqual(await opened('npm run secret'), { heldOut: { command: 'npm run secret', files: [] } })
  assert.deepEqual(await opened('~/checks/run.sh --all'), { heldOut: { command: '~/checks/run.sh --all', files: [checks] } })
  // Never a whole home folder.
  assert.deepEqual(await opened('sh ~/alone.sh'), { heldOut: { command: 'sh ~/alone.sh', files: [join(home, 'alone.sh')] } })
})

test('one setting can name a folder for each project; a project without one has none, which is said', async () => {
  assert.deepEqual(await opened(join(base, 'checks-of-{project}')), { heldOut: { folder: join(base, 'checks-of-shop') } })
  const { heldOut, warning } = await opened(join(base, 'no-{project}'))
  assert.deepEqual([heldOut, warning], [undefined, `No held-out check for this project: ${base}/no-shop does not exist.`])
})

test('where an agent could read it, or where it cannot run, it is refused', async () => {
  const refused = async (value: string, given: Given = {}): Promise<string> => {
    const error = await opened(value, given).then(
      () => assert.fail(`${value} was taken`),
      (thrown: Error & { exit: number }) => thrown,
    )
    assert.equal(error.exit, 78)
    return error.message.replaceAll(base, '')
  }
  assert.match(
    await refused('~/checks', { source: 'project' }),
    /project's own settings, which agents can read\. Move it to \/me\/\.ralph\/config\.yaml/,
  )
  assert.match(await refused('~/gone'), /names a path, but ~\/gone does not exist/)
  assert.match(await refused('./checks'), /the relative path \.\/checks\. Use an absolute one/)
  assert.match(await refused(root), /names \/shop, which is inside the project/)
  assert.match(await refused(`sh '${root}/own.sh'`), /names \/shop\/own\.sh, which is inside the project/)
  assert.match(await refused(base), /contains the project/)
  assert.match(await refused('~/checks', { git: false }), /needs a git repository with at least one commit/)
  assert.match(await refused('~/checks', { head: null }), /needs a git repository with at least one commit/)
  assert.match(await refused('~/checks', { config: { 'gates.tests': '' } }), /no gate is set that could run them/)
  const shared = { 'sandbox.kind': 'bwrap', 'sandbox.home': ['checks'] }
  assert.match(await refused('~/checks', { config: shared }), /agents see in their sandbox too/)
  assert.match(await refused('/etc', { config: { 'sandbox.kind': 'bwrap' } }), /agents see in their sandbox too/)
  assert.deepEqual(await opened('~/checks', { config: { 'sandbox.kind': 'bwrap' } }), { heldOut: { folder: checks } })
})
