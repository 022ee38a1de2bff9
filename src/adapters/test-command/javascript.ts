/** The test command of a JavaScript or TypeScript project: its script, its runner, or that of its workspaces. */
import { isText, jsonIn, recordOf } from '../../core/text/json.ts'
import type { Finder, ProjectLook, TestCommand } from './look.ts'

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

export const javascript: Finder = (look) => {
  if (!look.has('package.json')) return deno(look)
  const manifest = jsonIn(look.text('package.json'))
  const manager = managerOf(manifest, look)
  return script(manifest, manager) ?? workspaces(manifest, manager, look) ?? runnerOf(manifest, manager, look) ?? deno(look)
}

/** The `packageManager` field, else the lock file. */
export function managerOf(manifest: unknown, look: ProjectLook): Manager {
  const named = recordOf(manifest)['packageManager']
  const [, manager] = /^(npm|pnpm|yarn|bun)@/.exec(isText(named) ? named : '') ?? []
  if (manager !== undefined) return manager as Manager
  if (look.has('pnpm-lock.yaml') || look.has('pnpm-workspace.yaml')) return 'pnpm'
  if (look.has('yarn.lock')) return 'yarn'
  return look.first('bun.lock', 'bun.lockb') === undefined ? 'npm' : 'bun'
}

/** Under these names, the first that is there. */
const names = ['test', 'test:unit', 'test:ci', 'test:all', 'tests', 'unit', 'spec']

function script(manifest: unknown, manager: Manager): TestCommand | undefined {
  const name = names.find((each) => {
    const text = scriptIn(manifest, each)
    return text !== undefined && !/no test specified/.test(text) && !watches.test(text) // npm init writes a placeholder that always fails
  })
  if (name === undefined) return undefined
  const isShort = name === 'test' && manager !== 'bun'
  return {
    command: once(`${manager} ${isShort ? '' : 'run '}${name}`, scriptIn(manifest, name) ?? '', manager),
    from: 'package.json',
  }
}

/** Asks for it: such a script never ends. */
const watches = /\s--watch(?:All)?(?:\s|$)|\bvitest (?:watch|dev)\b/

/** These watch files unless they are told not to. */
function once(command: string, text: string, manager: Manager): string {
  if (/\breact-scripts test\b/.test(text) && !/\bCI=|--watchAll=false/.test(text)) return `CI=true ${command}`
  if (/\bng test\b/.test(text) && !/--watch=false|--no-watch/.test(text))
    return `${command}${manager === 'npm' ? ' --' : ''} --watch=false`
  return command
}

/** Of a package.json, whatever it holds. */
export function scriptIn(manifest: unknown, name: string): string | undefined {
  const text = recordOf(recordOf(manifest)['scripts'])[name]
  return isText(text) ? text : undefined
}

export const scriptNames = (manifest: unknown): string[] => Object.keys(recordOf(recordOf(manifest)['scripts']))

/** How a program of a package is started. */
export const startedBy: Record<Manager, string> = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' }

function workspaces(manifest: unknown, manager: Manager, look: ProjectLook): TestCommand | undefined {
  const run = startedBy[manager]
  if (look.has('nx.json')) return { command: `${run} nx run-many -t test`, from: 'nx.json' }
  if (look.has('turbo.json') && /"(?:\/\/#)?test"/.test(look.text('turbo.json')))
    return { command: `${run} turbo run test`, from: 'turbo.json' }
  if (look.has('lerna.json')) return { command: `${run} lerna run test`, from: 'lerna.json' }
  if (look.has('pnpm-workspace.yaml')) return { command: 'pnpm --recursive --if-present test', from: 'pnpm-workspace.yaml' }
  if (recordOf(manifest)['workspaces'] === undefined) return undefined
  const all: Record<Manager, string> = {
    npm: 'npm test --workspaces --if-present',
    pnpm: 'pnpm --recursive --if-present test',
    yarn: look.has('.yarnrc.yml') ? 'yarn workspaces foreach --all run test' : 'yarn workspaces run test',
    bun: "bun run --filter '*' test",
  }
  return { command: all[manager], from: 'package.json (workspaces)' }
}

/** Runners by their name as a dependency, and by the files of their settings. */
const runners: { name: string; settings: RegExp; command: string }[] = [
  { name: 'vitest', settings: /^vitest\.(?:config|workspace)\.[cm]?[jt]s$/, command: 'vitest run' },
  { name: 'jest', settings: /^jest\.config\.(?:[cm]?[jt]s|json)$/, command: 'jest' },
  { name: 'mocha', settings: /^\.mocharc\.(?:[cm]?js|json|ya?ml)$/, command: 'mocha' },
  { name: 'ava', settings: /^ava\.config\.[cm]?js$/, command: 'ava' },
  { name: 'tap', settings: /^\.taprc$/, command: 'tap' },
  { name: 'jasmine', settings: /^jasmine\.(?:m?js|json)$/, command: 'jasmine' },
  { name: '@playwright/test', settings: /^playwright\.config\.[cm]?[jt]s$/, command: 'playwright test' },
  { name: 'hardhat', settings: /^hardhat\.config\.[cm]?[jt]s$/, command: 'hardhat test' },
]

export function runnerOf(manifest: unknown, manager: Manager, look: ProjectLook): TestCommand | undefined {
  const { dependencies, devDependencies } = recordOf(manifest)
  const known = { ...recordOf(dependencies), ...recordOf(devDependencies) }
  for (const { name, settings, command } of runners) {
    const from = name in known ? 'package.json' : look.entry('', settings)
    if (from !== undefined) return { command: `${startedBy[manager]} ${command}`, from }
  }
  const own = testFile(look, /\.(?:test|spec)\.[cm]?[jt]sx?$/)
  if (own === undefined) return undefined
  return manager === 'bun'
    ? { command: 'bun test', from: own }
    : /\.[jt]sx$/.test(own)
      ? undefined
      : { command: 'node --test', from: own }
}

const testFile = (look: ProjectLook, like: RegExp): string | undefined =>
  ['test', 'tests', '__tests__', 'src'].flatMap((folder) => look.below(folder, like) ?? [])[0] ?? look.entry('', like)

function deno(look: ProjectLook): TestCommand | undefined {
  const from = look.first('deno.json', 'deno.jsonc')
  if (from === undefined) return undefined
  const hasTask = /"tasks"\s*:\s*\{[^}]*"test"\s*:/.test(look.text(from))
  return { command: hasTask ? 'deno task test' : 'deno test', from }
}
