/** Orders for the fault layer, and how it names points. */
import { basename, relative } from 'node:path'

/**
 * `kill`: dies just before. `during`: dies while the started process runs. `torn`: half of the bytes are written, then it dies; a git is
 * killed and leaves its lock. `fail`: refused, a write after half of its bytes. `unstarted`: no process can be started. `tree`: everything
 * that works in the project dies at once, with the started process.
 */
export type How = 'kill' | 'during' | 'tree' | 'torn' | 'fail' | 'unstarted'

export type Order = {
  /** A prefix for the name of each point: which command of a sequence this is. */
  command?: string
  /** Several agents work at once: points are named without the last event. */
  isUnordered?: boolean
  /** A file to which the name of each point is appended. */
  trace?: string
  at?: string
  how?: How
  /** A file that is created when the point is reached. */
  hit?: string
  /** Milliseconds to wait before each point of this kind. */
  slow?: { kind: string; ms: number }
  /** Bytes that may still be written, over all files: then the disk is full. */
  room?: number
  /** The clock is wrong by `ms` after this many readings. */
  clock?: { after: number; ms: number }[]
}

export type Places = { root: string; home: string; temporary: string }

/** The role of a path in Ralph, without what varies between runs. */
export function roleOf(path: string, places: Places): string {
  return placeOf(path, places)
    .replace(/(^|\/)\.([^/]+)\.tmp-\d+-\d+$/, '$1$2 (temporary)')
    .replace(/(\/worktrees\/project)-[0-9a-z]+\//, '$1/')
    .replace(/(objects)\/[0-9a-f]{2}\/(?:(tmp_obj_)\S+|[0-9a-f]+)$/, (_, folder, temporary) =>
      temporary === undefined ? `${folder}/*` : `${folder}/* (temporary)`,
    )
    .replace(/((?:import|plan)-)[0-9a-z]{8}-\d+/, '$1*')
    .replace(/(iteration|report|plan)-\d+/, '$1-N')
    .replace(/(ralph-log-copies\/.+)-\d+-\d+(?=\.jsonl)/, '$1-*')
    .replace(/inbox\/[^/]+$/, 'inbox/*')
    .replace(/(ralph-[a-z]+)-([A-Za-z0-9]{6})?(?=\/|$)/, '$1-*')
    .replace(/(tmp\/ralph)-[0-9a-f]{10}(?=\/|$)/, '$1-*')
    .replace(/learning-(.+)-\d{8}\S*\.yaml/, 'learning-$1-*.yaml')
    .replace(/archive\/\d{4}-\d\d-\d\d-/, 'archive/*-')
    .replace(/\.ralph\/logs\/\d{4}-\d\d-\d\d-/, '.ralph/logs/*-')
}

function placeOf(path: string, { root, home, temporary }: Places): string {
  for (const [folder, name] of [
    [root, ''],
    [home, '~/'],
    [temporary, 'tmp/'],
  ] as const) {
    const inside = relative(folder, path)
    if (!inside.startsWith('..') && inside !== '') return `${name}${inside}`
  }
  return `elsewhere/${path.split('/').slice(-2).join('/')}`
}

/** `git commit`, `sh` for a gate, `node player.js` for the scripted agent. */
export function programRole(command: string, args: readonly string[]): string {
  if (basename(command) === 'prlimit') return programRole(args[1]!, args.slice(2)) // sets the mark, then becomes that program
  if (basename(command) === 'git') return `git ${gitVerb(args)}`
  if (/\bnode$/.test(command)) return `agent ${basename(args[0] ?? '')}`
  return basename(command)
}

/** The first word that is not an option of git itself. */
function gitVerb(args: readonly string[]): string {
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '-c' || args[at] === '-C') at += 1
    else if (!args[at]!.startsWith('-')) return args[at]!
  }
  return ''
}

/** The count is part of the name if the same is done again in the same phase. */
export function pointNamer(): (phase: string, kind: string, role: string) => string {
  const counts = new Map<string, number>()
  return (phase, kind, role) => {
    if (isAnyTime(phase, role)) return `any time | ${kind} ${role}`
    const name = `${phase} | ${kind} ${role}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name} #${count}`
  }
}

/** Views and the agent's log are written by a timer or by the agent, at varying times. */
const isAnyTime = (phase: string, role: string): boolean =>
  /logs\/iteration-N\.log/.test(role) || (/(status\.json|summary\.csv)/.test(role) && !phase.endsWith('run.ended'))

/** How far a run is: the last event that it wrote. */
export function phaseAfter(lines: string): string | null {
  const last = lines.trimEnd().split('\n').at(-1) ?? ''
  try {
    const { kind, iteration } = JSON.parse(last) as { kind: string; iteration?: number }
    return iteration === undefined ? kind : `${kind} ${iteration}`
  } catch {
    return null
  }
}
