import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'
import { changesOf } from '../code/change.ts'
import { leadsOutside } from './gate-environment.ts'

const added = (path: string, text: string) => rulesIn({ [path]: [null, text] })

test('files that change how every program or script is run are evidence against a story, new or changed', () => {
  const cases: [path: string, text: string][] = [
    ['.npmrc', 'script-shell=/bin/true\n'],
    ['web/.npmrc', 'registry=https://registry.npmjs.org/\nscript-shell = ./sh\n'],
    ['.npmrc', 'node-options=--require ./patch.js\n'],
    ['.yarnrc', 'script-shell "/bin/true"\n'],
    ['.env', 'NODE_OPTIONS="--require ./patch.cjs"\n'],
    ['.env.test', 'export NODE_OPTIONS=--import=./x.mjs\n'],
    ['.envrc', 'export BASH_ENV=./x.sh\n'],
    ['.env', 'LD_PRELOAD=./x.so\n'],
    ['.env', 'PYTEST_ADDOPTS="-k not_sum"\n'],
    ['.env', 'PYTEST_PLUGINS=patch\n'],
    ['.env', 'RUBYOPT=-r ./patch\n'],
    ['.env', 'GOFLAGS=-run=None\n'],
    ['sitecustomize.py', 'import patch\n'],
    ['src/usercustomize.py', 'print(1)\n'],
    ['tests/x.pth', 'import patch\n'],
    ['.cargo/config.toml', '[target.x86_64-unknown-linux-gnu]\nrunner = "/bin/true"\n'],
    ['Makefile', 'SHELL := /bin/true\n'],
    ['Makefile', '.IGNORE:\ntest:\n\tpytest\n'],
    ['Makefile', 'MAKEFLAGS += -i\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(added(path, text), [`environment-changed ${path}!`], text)
  assert.deepEqual(rulesIn({ '.npmrc': ['fund=false\n', 'fund=false\nscript-shell=./x\n'] }), ['environment-changed .npmrc!'])
})

test('registries, memory, ports and paths of the source are nothing', () => {
  const cases: [path: string, text: string][] = [
    ['.npmrc', 'registry=https://registry.example.com/\nsave-exact=true\nfund=false\nengine-strict=true\n'],
    ['.npmrc', '# script-shell=/bin/true\n'],
    ['.npmrc', 'node-options=--max-old-space-size=4096 --no-warnings\n'],
    ['.yarnrc.yml', 'yarnPath: .yarn/releases/yarn-4.1.0.cjs\nnodeLinker: node-modules\n'],
    ['.env', 'PORT=3000\nDATABASE_URL=postgres://localhost/x\nNODE_ENV=test\n'],
    ['.env', 'NODE_OPTIONS=--max-old-space-size=4096\n'],
    ['.env', 'PYTHONPATH=src\n'],
    ['.env', 'PYTHONPATH=.:./src:$PYTHONPATH\n'],
    ['.envrc', 'export PATH=$PWD/bin:$PATH\nPATH_add node_modules/.bin\n'],
    ['sitecustomize.py', 'import coverage\ncoverage.process_startup()\n'],
    ['models/best.pth', 'PK\u0003\u0004 weights\n'],
    ['.cargo/config.toml', '[target.wasm32-unknown-unknown]\nrunner = "wasm-bindgen-test-runner"\n'],
    ['Makefile', 'SHELL := /bin/bash\nMAKEFLAGS += --warn-undefined-variables\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(added(path, text), [], text)
})

test('scripts turned off, and modules found elsewhere, are suspicions', () => {
  assert.deepEqual(added('.npmrc', 'ignore-scripts=true\n'), ['environment-changed .npmrc'])
  assert.deepEqual(added('.npmrc', 'ignore-scripts=false\n'), [])
  assert.deepEqual(added('.env', 'PYTHONPATH=./shim\n'), ['environment-changed .env'])
})

test('attributes that hide tests or source from a diff are evidence; those of generated and binary files are not', () => {
  for (const line of [
    '*.js -diff',
    'test/** -diff',
    '*.test.ts binary',
    '* filter=x',
    'src/*.py working-tree-encoding=UTF-16',
    '*.py diff=nothing',
  ])
    assert.deepEqual(added('.gitattributes', `${line}\n`), ['content-hidden .gitattributes!'], line)
  const honest = [
    '* text=auto eol=lf',
    '*.png binary',
    'package-lock.json -diff',
    '*.min.js -diff',
    'dist/* linguist-generated -diff',
  ]
  for (const line of [...honest, '*.psd filter=lfs diff=lfs merge=lfs -text', '*.py diff=python', '*.snap -diff'])
    assert.deepEqual(added('.gitattributes', `${line}\n`), [], line)
})

test('a new program or module with the name of a runner is evidence; a script of the project is not', () => {
  for (const path of [
    'node_modules/.bin/vitest',
    'npm',
    'bin/node',
    'web/node_modules/.bin/jest',
    'pytest.py',
    'tests/unittest/__init__.py',
    '.venv/bin/python',
  ])
    assert.deepEqual(added(path, 'run()\n'), [`runner-shadowed ${path}!`], path)
  assert.deepEqual(added('tests/unittest/__init__.py', '"""Unit tests."""\n'), [])
  for (const path of [
    'bin/ralph',
    'bin/rspec',
    'bin/setup',
    'scripts/npm-publish.sh',
    'src/node.ts',
    'gradlew',
    'mvnw',
    'pytest.ini',
    'src/app/make.py',
  ])
    assert.deepEqual(added(path, 'x\n'), [], path)
})

test('a module with the name of one of Python, and a committed package of a runner, are suspicions', () => {
  assert.deepEqual(added('statistics.py', 'x = 1\n'), ['runner-shadowed statistics.py'])
  assert.deepEqual(added('test/node_modules/chai/index.js', 'x\n'), ['runner-shadowed test/node_modules/chai/index.js'])
  assert.deepEqual(added('shop/statistics.py', 'x = 1\n'), [])
})

test('a link out of the repository is evidence if it stands for code; a link inside is nothing', () => {
  const linked = (path: string, link: string) =>
    changesOf([{ path, kind: 'added', before: '', after: link, link }])
      .flatMap(leadsOutside)
      .map(({ rule, isCertain }) => `${rule}${isCertain ? '!' : ''}`)
  assert.deepEqual(linked('src/cart.js', '/tmp/cart.js'), ['content-hidden!'])
  assert.deepEqual(linked('src/cart.js', '../../cart.js'), ['content-hidden!'])
  assert.deepEqual(linked('docs/index', '/tmp/index'), ['content-hidden'])
  assert.deepEqual(linked('docs/index.js', '../README.js'), [])
})
