/** docs/ci.md, the Dockerfile and the devcontainer: what they name is there, and the programs that read them can. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { problemsIn, stagesOf } from './support/dockerfile.ts'
import { tempFolder } from './support/folder.ts'
import { readAction } from './support/github-action.ts'
import { ralphProgram } from './support/project.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const page = readFileSync(join(root, 'docs', 'ci.md'), 'utf8')
const action = readAction(join(root, 'action.yml'))
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

function recipe(name: string): string {
  const [, text] = new RegExp(`<!-- recipe ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  assert.ok(text, `the page has no recipe ${name}`)
  return text
}

/** Fails for an option that `ralph run` does not know. */
function knowsOptions(command: string): void {
  const [, options = ''] = /ralph run(.*)/.exec(command) ?? []
  const names = [...options.matchAll(/--[a-z-]+/g)].map(([name]) => name)
  const { stdout } = spawnSync(process.execPath, [ralphProgram, 'run', '--help'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  })
  assert.ok(names.length > 0, command)
  assert.deepEqual(
    names.filter((name) => !stdout.includes(`${name} `)),
    [],
  )
}

test('the page has every input and output of the action, and the recipe for GitHub uses no others [R-CI-1]', () => {
  for (const [heading, names] of [
    ['input', Object.keys(action.inputs)],
    ['output', Object.keys(action.outputs)],
  ] as const) {
    const [, table = ''] = new RegExp(`\\| ${heading} \\| \\|\\n\\|---\\|---\\|\\n((?:\\|.*\\n)*)`).exec(page) ?? []
    const told = table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, name]) => name))
    assert.deepEqual(told.toSorted(), names.toSorted(), heading)
  }
  const { jobs, permissions } = parse(recipe('github'))
  const steps: { id?: string; uses?: string; with?: Record<string, string> }[] = jobs.ralph.steps
  const ours = steps.find(({ id }) => id === 'ralph')
  assert.deepEqual(
    Object.keys(ours?.with ?? {}).filter((name) => !(name in action.inputs)),
    [],
  )
  const outputs = [...recipe('github').matchAll(/steps\.ralph\.outputs\.([\w-]+)/g)].map(([, name]) => name!)
  assert.ok(outputs.length > 0 && outputs.every((name) => name in action.outputs))
  assert.deepEqual(Object.keys(permissions).sort(), ['contents', 'issues', 'pull-requests'])
  assert.equal(steps[0]?.with?.['persist-credentials'], false)
})

test('the recipes for GitLab and cron are read by their shells, and use options that exist [R-CI-1]', () => {
  const { ralph } = parse(recipe('gitlab'))
  const scripts: string[] = [...ralph.script, ...ralph.after_script]
  assert.equal(spawnSync('sh', ['-n'], { input: scripts.join('\n') }).status, 0)
  scripts.filter((line) => line.includes('ralph run')).forEach(knowsOptions)
  const jobs = recipe('cron')
    .trim()
    .split('\n')
    .filter((line) => !/^\w+=/.test(line))
  assert.equal(jobs.length, 1)
  for (const job of jobs) {
    const [, command] = /^(?:[\d*,/-]+ ){5}(.*)$/.exec(job) ?? []
    assert.ok(command, job)
    assert.doesNotMatch(command, /%/, 'cron reads % as a line end')
    assert.equal(spawnSync('sh', ['-n'], { input: command }).status, 0)
    knowsOptions(command)
  }
})

test('the units are what systemd takes, and use options that exist [R-CI-1]', (t) => {
  const folder = tempFolder(t)
  for (const name of ['service', 'timer']) writeFileSync(join(folder, `ralph@.${name}`), recipe(name))
  knowsOptions(recipe('service'))
  const keys = [...recipe('service').matchAll(/^(\w+)=/gm)].map(([, key]) => key)
  assert.deepEqual(keys.slice(0, 3), ['Description', 'Type', 'WorkingDirectory'])
  const env = { PATH: '/usr/bin:/bin', HOME: folder, XDG_RUNTIME_DIR: folder }
  const verify = (...names: string[]) =>
    spawnSync('systemd-analyze', ['verify', '--user', '--man=no', ...names], { cwd: folder, env, encoding: 'utf8' })
  const { error, status, stderr } = verify('./ralph@.service', './ralph@.timer')
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return // no systemd here: the form is all that can be checked
  assert.deepEqual([status, stderr], [0, ''])
  writeFileSync(join(folder, 'ralph@.timer'), recipe('timer').replace('Mon..Fri', 'Someday'))
  assert.notEqual(verify('./ralph@.timer').status, 0, 'it takes anything')
})

test('the Dockerfile is in form: pinned bases, stages and files that exist, no root, no secrets [R-CI-1]', () => {
  assert.deepEqual(problemsIn(dockerfile, root), [])
  const broken: [from: string | RegExp, to: string, problem: RegExp][] = [
    ['FROM node:24-bookworm-slim\n', 'FROM node\n', /the base node has no version/],
    ['USER node\nWORKDIR', 'USER root\nWORKDIR', /runs as root/],
    [/USER node\n/g, '', /runs as root/],
    ['from=build,source', 'from=builder,source', /there is no stage builder/],
    ['ARG AGENTS=""', 'ARG API_KEY=""', /a secret stays/],
    ['ENTRYPOINT ["tini", "--", "ralph"]', 'ENTRYPOINT ralph', /goes through a shell/],
    ['COPY . .', 'COPY nowhere .', /nowhere is not in the context/],
    ['COPY . .', 'ADD . .', /use COPY/],
    ['&& chmod 1777', '&& (chmod 1777', /the shell cannot read it/],
    [/ \\\n {2}&& rm -rf \/var\/lib\/apt\/lists\/\*/g, '', /lists of apt/],
  ]
  for (const [from, to, problem] of broken) {
    const text = dockerfile.replace(from, to)
    assert.notEqual(text, dockerfile, String(from))
    assert.match(problemsIn(text, root).join('\n'), problem, String(from))
  }
})

test('the devcontainer builds a stage of the Dockerfile, without root [R-CI-1]', () => {
  const folder = join(root, '.devcontainer')
  const { build, remoteUser, postCreateCommand } = JSON.parse(readFileSync(join(folder, 'devcontainer.json'), 'utf8'))
  assert.equal(join(folder, build.dockerfile), join(root, 'Dockerfile'))
  assert.equal(join(folder, build.context), root)
  const stage = stagesOf(dockerfile).find(({ name }) => name === build.target)
  assert.equal(stage?.instructions.findLast(({ word }) => word === 'USER')?.rest, remoteUser)
  // Its tests find what they would install.
  const installed = stage?.instructions.map(({ rest }) => rest).join(' ') ?? ''
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, needed = ''] = /ready\.mjs (.*?) &&/.exec(scripts.test) ?? []
  const packageOf: Record<string, string> = { postgres: 'postgresql', bwrap: 'bubblewrap', 'pytest-3': 'python3-pytest' }
  assert.deepEqual(
    needed.split(' ').filter((name) => !installed.includes(packageOf[name] ?? name)),
    [],
  )
  assert.match(postCreateCommand, /^npm run build$/)
})

test('where Docker or Podman works the image is built, has what it promises, and plays the demo without root [R-CI-1]', (t) => {
  const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0)
  if (engine === undefined) {
    t.diagnostic('neither Docker nor Podman works here: the image was checked for form only')
    assert.deepEqual(problemsIn(dockerfile, root), [])
    return
  }
  const does = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(engine, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
    assert.equal(status, 0, `${engine} ${args.join(' ')}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`)
    return stdout
  }
  const image = `ralph-test-${process.pid}`
  does('build', '-t', image, '.')
  t.after(() => spawnSync(engine, ['rmi', '-f', image]))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(does('run', '--rm', image, '--version'), `${version}\n`)
  const ids = does('run', '--rm', '--entrypoint', 'sh', image, '-c', 'id -u; command -v git bwrap node')
  assert.match(ids, /^[1-9]\d*\n\S+git\n\S+bwrap\n\S+node\n$/)
  assert.match(does('run', '--rm', '--user', '12345:12345', image, 'demo', '--no-keep'), /COMPLETE/)
})
