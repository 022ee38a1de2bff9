import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { isHarmlessSetting, toolSettings } from './home-files.ts'
import { keepFiles } from './kept-file.ts'

function homeFor(t: TestContext, files: Record<string, string>) {
  const home = tempFolder(t)
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text)
  const kept = keepFiles(() => toolSettings({ HOME: home }), isHarmlessSetting)
  const restored = () => kept.restore().map(({ path, was, content }) => [path.slice(home.length + 1), was, content?.toString()])
  return { home, put, kept, restored, read: (name: string): string => readFileSync(join(home, name), 'utf8') }
}

test('settings of tools are put back as they were, with their mode; what was not there is removed', (t) => {
  const { home, put, kept, restored, read } = homeFor(t, {
    '.npmrc': 'token=1\n',
    '.bashrc': 'a\n',
    '.config/go/env': 'GOFLAGS=\n',
  })
  chmodSync(join(home, '.npmrc'), 0o600)
  assert.deepEqual(kept.renew(), [])
  const { restored: nothing } = homeFor(t, {})
  put('.npmrc', 'script-shell=/tmp/true\n')
  put('.cargo/config.toml', '[alias]\n')
  put('.mocharc.json', '{}')
  put('.local/lib/python3.12/site-packages/usercustomize.py', 'import os\n')
  put('.local/lib/python3.12/site-packages/x.pth', 'import os; os._exit(0)\n')
  rmSync(join(home, '.config'), { recursive: true })
  assert.deepEqual(restored().sort(), [
    ['.cargo/config.toml', 'added', '[alias]\n'],
    ['.config/go/env', 'removed', undefined],
    ['.local/lib/python3.12/site-packages/usercustomize.py', 'added', 'import os\n'],
    ['.local/lib/python3.12/site-packages/x.pth', 'added', 'import os; os._exit(0)\n'],
    ['.mocharc.json', 'added', '{}'],
    ['.npmrc', 'changed', 'script-shell=/tmp/true\n'],
  ])
  assert.deepEqual(
    [read('.npmrc'), statSync(join(home, '.npmrc')).mode & 0o777, read('.config/go/env')],
    ['token=1\n', 0o600, 'GOFLAGS=\n'],
  )
  assert.deepEqual([restored(), nothing()], [[], []])
})

test('settings behind a link are put back where they are, and so is the link', (t) => {
  const home = tempFolder(t)
  mkdirSync(join(home, 'dotfiles'))
  writeFileSync(join(home, 'dotfiles', 'npmrc'), 'a\n')
  symlinkSync('dotfiles/npmrc', join(home, '.npmrc'))
  const kept = keepFiles(() => toolSettings({ HOME: home }))
  writeFileSync(join(home, '.npmrc'), 'b\n')
  assert.deepEqual(
    kept.restore().map(({ path, was }) => [path.slice(home.length + 1), was]),
    [['dotfiles/npmrc', 'changed']],
  )
  rmSync(join(home, '.npmrc'))
  writeFileSync(join(home, '.npmrc'), 'c\n')
  assert.deepEqual(
    kept.restore().map(({ path, was }) => [path.slice(home.length + 1), was]),
    [['.npmrc', 'changed']],
  )
  assert.deepEqual(
    [
      lstatSync(join(home, '.npmrc')).isSymbolicLink(),
      readlinkSync(join(home, '.npmrc')),
      readFileSync(join(home, '.npmrc'), 'utf8'),
    ],
    [true, 'dotfiles/npmrc', 'a\n'],
  )
})

test('what the user changes while nothing runs stays, and is what is put back later', (t) => {
  const { home, put, kept, restored, read } = homeFor(t, { '.npmrc': 'a\n' })
  put('.npmrc', 'b\n')
  put('.yarnrc', 'y\n')
  assert.deepEqual(
    kept.renew().map(({ path, bytes }) => [path.slice(home.length + 1), bytes?.toString()]),
    [
      ['.npmrc', 'b\n'],
      ['.yarnrc', 'y\n'],
    ],
  )
  assert.deepEqual([restored(), kept.renew()], [[], []])
  put('.npmrc', 'c\n')
  assert.deepEqual([restored(), read('.npmrc'), read('.yarnrc')], [[['.npmrc', 'changed', 'c\n']], 'b\n', 'y\n'])
})

test('what programs write there by themselves stays', (t) => {
  const { put, restored } = homeFor(t, {})
  const nuget = (more = ''): string =>
    `\uFEFF<?xml version="1.0" encoding="utf-8"?>\n<configuration>\n  <packageSources>\n    <add key="nuget.org" value="https://api.nuget.org/v3/index.json" protocolVersion="3" />\n${more}  </packageSources>\n</configuration>`
  put('.nuget/NuGet/NuGet.Config', nuget())
  put('.local/lib/python3.12/site-packages/own.pth', '/home/me/project/src\n')
  assert.deepEqual(restored(), [])
  put('.nuget/NuGet/NuGet.Config', nuget('<add key="mine" value="http://127.0.0.1/" />'))
  assert.deepEqual(
    restored().map(([name]) => name),
    ['.nuget/NuGet/NuGet.Config'],
  )
})

test('the npmrc below the prefix, wherever the user has it, and files that variables name are among them', (t) => {
  const { home, put } = homeFor(t, { '.npmrc': 'prefix = "~/own"\n' })
  put('node/bin/node', '')
  chmodSync(join(home, 'node/bin/node'), 0o755)
  const env = { HOME: home, PATH: join(home, 'node/bin'), BASH_ENV: join(home, 'start.sh'), ENV: 'relative' }
  const found = toolSettings(env).map((path) => path.slice(home.length + 1))
  assert.deepEqual(
    ['own/etc/npmrc', 'node/etc/npmrc', 'start.sh', '.config/pnpm/rc'].filter((name) => !found.includes(name)),
    [],
  )
  assert.deepEqual(
    toolSettings({ ...env, NPM_CONFIG_PREFIX: '/opt/npm' }).filter((path) => path.endsWith('/etc/npmrc')),
    ['/opt/npm/etc/npmrc', join(home, 'node/etc/npmrc')],
  )
})
