/** A small process that outlives Ralph: when Ralph is killed, it ends what Ralph started and keeps plan and settings as they are then. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tried } from '../../core/failure.ts'
import { readIfThere } from '../files/files.ts'
import { readRegular } from '../files/open.ts'
import { witnessFolder } from '../project/find.ts'
import { personKey, sealed, sealedAtLeast, signatureOf, unsealed } from '../project/person-key.ts'
import { rangeOf } from './process-mark.ts'
import { isAlive, processStart } from './survivors.ts'
import { onRoots } from './tree.ts'

export type WitnessedRun = { root: string; home: string; run: string }
/** The state after the run died and its processes ended: the text of each file (null: missing), and what was uncommitted (null: not recorded). */
export type Testimony = { texts: (string | null)[]; dirty: string[] | null }

/** From the first program that the run starts. `close`: the run ended normally, and there is nothing to report. */
export function openWitness(watched: WitnessedRun, files: string[], kept: (Buffer | null)[]): { close(): void } {
  const folder = folderOf(watched)
  let child: ChildProcess | undefined
  const tell = (line: string): void => void child?.stdin?.write(`${line}\n`)
  const stop = onRoots((roots) => {
    if (folder === null) return
    child ??= startedIn(folder, watched, files, kept)
    tell(roots.join(' '))
  })
  return {
    close() {
      stop()
      tell('bye')
      child?.stdin?.end()
      if (child !== undefined && folder !== null) rmSync(folder, { recursive: true, force: true }) // copies of what may be private
    },
  }
}

/** What a killed run looked like; null: nobody recorded it, or the record was tampered with. */
export async function testimonyOf(watched: WitnessedRun, files: number): Promise<Testimony | null> {
  const folder = folderOf(watched)
  if (folder === null) return null
  const [pid = '', start] = (readIfThere(join(folder, 'pid')) ?? '').split(' ')
  // It may still be working: the run was killed a moment ago.
  for (let ms = 0; ms < longestMs && pid !== '' && isAlive(Number(pid), start); ms += lookMs) await pause(lookMs)
  const signed = join(folder, 'token')
  if (readIfThere(signed) !== tokenOf(watched)) return null
  const names = Array.from({ length: files }, (_, index) => join(folder, String(index + 1)))
  // No program can set ctime back.
  if (names.some((name) => changedNs(name) > changedNs(signed))) return null
  const status = readIfThere(join(folder, 'status'))
  const lines = status?.split('\0').filter((line) => line !== '')
  return { texts: names.map((name) => readIfThere(name)), dirty: lines?.map((line) => line.slice('XY '.length)) ?? null }
}

/** The texts at the start of the run; the log says whether they are still the same. */
export function keptBefore(watched: WitnessedRun, count: number): (string | null)[] {
  const folder = folderOf(watched)
  const key = personKey(watched.home)
  const textOf = (index: number): string | null => {
    const bytes = folder === null ? null : tried(() => readRegular(join(folder, `kept-${index + 1}`)), null)
    return bytes === null || bytes.length < sealedAtLeast ? null : unsealed(key, bytes).toString()
  }
  return Array.from({ length: count }, (_, index) => textOf(index))
}

const longestMs = 3000
const lookMs = 10

const changedNs = (path: string): bigint => statSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? 0n

const folderOf = ({ root }: WitnessedRun): string | null => witnessFolder(root)

/** Agents do not get the key: none of them can forge when the run died. */
const tokenOf = ({ home, run }: WitnessedRun): string => signatureOf(personKey(home), ['witness', run])

function startedIn(folder: string, watched: WitnessedRun, files: string[], kept: (Buffer | null)[]): ChildProcess | undefined {
  try {
    emptied(folder)
    for (const [index, text] of kept.entries())
      if (text !== null) writeFileSync(join(folder, `kept-${index + 1}`), sealed(personKey(watched.home), text), { mode: 0o600 })
    const args = ['-c', script, 'sh', folder, watched.run, String(rangeOf(watched.run)), watched.root, ...files]
    const child = spawn('sh', args, {
      cwd: '/',
      detached: true,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', GIT_OPTIONAL_LOCKS: '0' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.on('error', () => {}) // then nobody records it
    child.stdin?.on('error', () => {})
    child.unref()
    if (child.stdin !== null && 'unref' in child.stdin) (child.stdin as unknown as { unref(): void }).unref()
    child.stdin?.write(`${tokenOf(watched)}\n`)
    if (child.pid !== undefined) writeFileSync(join(folder, 'pid'), `${child.pid} ${processStart(child.pid) ?? ''}`)
    return child
  } catch {
    return undefined
  }
}

/** A sandbox may already cover the folder: it stays the same one. */
function emptied(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    return chmodSync(folder, 0o700)
  }
  rmSync(folder, { force: true })
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * Its input ends when Ralph does. It makes the copies as soon as the groups are gone, and again while other processes of the run exist. They
 * count only with the token, which comes last.
 */
const script = `
read -r token || exit 0
groups=
while read -r line; do groups=$line; done
[ "$groups" != bye ] || exit 0
dir=$1 run=$2 range=$3 top=$4
shift 4
end() { there=1; for g in $groups; do kill -s "$1" -- "-$g" && there=0; done; return $there; }
copy() { i=0; for f; do i=$((i + 1)); rm -f "$dir/$i"; cp -- "$f" "$dir/$i"; done; }
isLeft() {
  ! grep -qsa "RALPH_RUN=$run:" /proc/[0-9]*/environ || return 0
  ! grep -sE '^Max realtime timeout +[0-9]{15}' /proc/[0-9]*/limits | while read -r at _ _ mark _; do
    [ $((mark / 262144)) -ne "$range" ] || grep -qs '^State:[[:space:]]*Z' "\${at%%limits*}status" || exit 1
  done
}
end TERM
n=0
while [ $n -lt 10 ] && end 0; do
  n=$((n + 1))
  sleep 0.005
done
copy "$@"
[ -d /proc/self ] || exit 0
n=0
while isLeft; do
  n=$((n + 1))
  [ $n -ne 50 ] || end KILL
  [ $n -lt 100 ] || exit 0
  sleep 0.01
  copy "$@"
done
printf %s "$token" > "$dir/token"
git -C "$top" status --porcelain -z --untracked-files=all --no-renames > "$dir/status.new" && mv "$dir/status.new" "$dir/status"
`
