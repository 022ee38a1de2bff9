import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../../test/support/folder.ts'
import type { Event } from '../../../core/types.ts'
import { openLog, readLog } from '../event-log.ts'
import { copyPathOf, forgetCopy, matchLog } from './second-copy.ts'

const folder = tempFolder()
let projects = 0
const at = '2026-01-09T10:00:00.000Z'
const said = (text: string): Event => ({ at, run: 'r1', kind: 'said', id: 'x', text })
const started = {
  at,
  run: 'r1',
  kind: 'run.started',
  log: 1,
  feature: 'login',
  plan: null,
  policy: {},
  repo: {},
  pid: 1,
  dirty: [],
}

/** A feature whose log has two lines, and a third to come. */
function feature({ isGit = true } = {}) {
  const root = join(folder, String(++projects))
  const place = { root, home: join(root, 'home'), dir: join(root, '.ralph', 'login') }
  for (const path of [place.dir, place.home, ...(isGit ? [join(root, '.git')] : [])]) mkdirSync(path, { recursive: true })
  const path = join(place.dir, 'events.jsonl')
  const open = () => openLog(path, () => copyPathOf(place))
  const log = open()
  log.append([said('one')])
  log.append([said('two')])
  const copy = copyPathOf(place)!
  const texts = (file = path) => readLog(file).events.map((event) => (event.kind === 'said' ? event.text : event.kind))
  return { place, path, copy, log, open, texts }
}

const inPlace: [string, (path: string) => void][] = [
  ['emptied', (path) => truncateSync(path)],
  ['cut in the middle of a line', (path) => truncateSync(path, 100)],
  ['cut to a single line end', (path) => writeFileSync(path, '\n')],
  ['overwritten with other bytes', (path) => writeFileSync(path, 'x\ny\n')],
  ['made longer', (path) => appendFileSync(path, `${JSON.stringify(said('forged'))}\n`)],
  ['overwritten with as many bytes', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('one', 'ONE'))],
  ['deleted', (path) => rmSync(path)],
  [
    'put back with an older time',
    (path) => {
      writeFileSync(path, readFileSync(path, 'utf8').replace('two', 'TWO'))
      utimesSync(path, 0, 0)
    },
  ],
]
for (const isGit of [true, false])
  for (const [what, change] of inPlace)
    test(`in mid-run a log that is ${what} comes back from its copy, ${isGit ? 'in the git directory' : 'without git'}`, () => {
      const { path, copy, log, texts } = feature({ isGit })
      change(path)
      log.append([said('three')])
      log.append([said('four')])
      log.close()
      assert.deepEqual([texts(), log.restored()], [['one', 'two', 'three', 'four'], 1])
      assert.deepEqual(readFileSync(copy), readFileSync(path))
    })

test('a log that was only touched is not restored, and a copy that was changed is made again', () => {
  const { path, copy, log, texts } = feature()
  utimesSync(path, 1, 1)
  log.append([said('three')])
  assert.equal(log.restored(), 0)
  truncateSync(copy)
  log.append([said('four')])
  rmSync(copy)
  log.append([said('five')])
  log.close()
  assert.deepEqual([texts(), texts(copy), log.restored()], [['one', 'two', 'three', 'four', 'five'], texts(), 2])
})

test('a log and a copy that were both changed in mid-run stop the run, and both are named', () => {
  const { path, copy, log } = feature()
  for (const file of [path, copy]) truncateSync(file, 3)
  assert.throws(
    () => log.append([said('three')]),
    ({ exit, message }) => exit === 65 && message.includes(path) && message.includes(copy),
  )
  log.close()
})

test('a git directory that is gone does not come back as an empty one, and the log goes on', () => {
  const { place, log, texts } = feature()
  rmSync(join(place.root, '.git'), { recursive: true })
  log.append([said('three')])
  log.close()
  assert.deepEqual([texts(), existsSync(join(place.root, '.git'))], [['one', 'two', 'three'], false])
})

for (const [what, change, words] of [
  ['emptied', (path: string) => truncateSync(path), /lacked 2 lines at its end, restored/],
  ['cut in the middle of a line', (path: string) => truncateSync(path, 100), /lacked 1 line at its end, restored/],
] as const)
  test(`between two runs a log that is ${what} is restored at the start, and that is told`, () => {
    const { place, path, log, open, texts } = feature()
    log.close()
    change(path)
    assert.match(matchLog(place) ?? '', words)
    const next = open()
    next.append([said('three')])
    next.close()
    assert.deepEqual(texts(), ['one', 'two', 'three'])
    assert.equal(matchLog(place), null)
  })

test('a damaged line stops with its number, as ever, and the whole copy is named', () => {
  const { place, path, copy, log } = feature()
  log.close()
  writeFileSync(path, `x\n${readFileSync(path, 'utf8')}`)
  assert.throws(
    () => matchLog(place),
    ({ exit, message }) =>
      exit === 65 &&
      message.startsWith(`${path}:1: this line is not JSON.`) &&
      message.endsWith(` Or restore it: cp '${copy}' '${path}'`),
  )
})

test('lines that only the log has when a run was killed are not Ralph’s: they do not count, and are kept', () => {
  const { place, path, log, texts } = feature()
  log.append([started as unknown as Event])
  log.close()
  appendFileSync(path, `${JSON.stringify(said('forged'))}\n`)
  assert.match(matchLog(place) ?? '', /had 1 line at its end that Ralph did not write/)
  assert.deepEqual(texts(), ['one', 'two', 'run.started'])
  assert.deepEqual(texts(join(place.dir, 'logs', 'events.rejected')), ['one', 'two', 'run.started', 'forged'])
  assert.equal(matchLog(place), null)
})

test('a log that an older Ralph went on with counts, and the copy follows; one that was torn on either side by a kill does too', () => {
  const { place, path, copy, log, texts } = feature()
  log.close()
  appendFileSync(path, `${JSON.stringify(said('three'))}\n{"at":"2026`)
  assert.match(matchLog(place) ?? '', /has 1 line at its end that its copy lacks/)
  appendFileSync(copy, '{"at":')
  assert.equal(matchLog(place), null)
  assert.deepEqual([texts(), texts(copy)], [['one', 'two', 'three'], texts()])
})

test('a copy that a power failure left unreadable is made again from the log', () => {
  const { place, copy, log, path } = feature()
  log.close()
  writeFileSync(copy, `${'\0'.repeat(200)}\n${JSON.stringify(said('two'))}\n`)
  assert.equal(matchLog(place), null)
  assert.deepEqual(readFileSync(copy), readFileSync(path))
})

test('a log and a copy that tell different stories stop before anything is read: 65, with both files and the line', () => {
  const { place, path, copy, log } = feature()
  log.close()
  writeFileSync(path, readFileSync(path, 'utf8').replace('two', 'TWO'))
  assert.throws(
    () => matchLog(place),
    ({ exit, message }) => exit === 65 && message.startsWith(`${path} and its copy ${copy} differ from line 2 on`),
  )
})

test('a log in which only times were changed tells the same story, and the copy follows', () => {
  const { place, path, copy, log } = feature()
  log.close()
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('2026-01-09T10', '2026-01-09T09'))
  assert.match(matchLog(place) ?? '', /^times in .*events\.jsonl were changed from outside/)
  assert.deepEqual(readFileSync(copy), readFileSync(path))
})

test('a log moved away after the end of a run begins a new history, and the old one is kept and named', () => {
  const { place, path, copy, log, open, texts } = feature()
  log.close()
  rmSync(path)
  assert.equal(matchLog(place), `${path} is missing: starting a new history. The old one is in ${copy}.old`)
  const next = open()
  next.append([said('new')])
  next.close()
  assert.deepEqual([texts(), texts(`${copy}.old`)], [['new'], ['one', 'two']])
})

test('a log that was gone when Ralph was killed comes back', () => {
  const { place, path, log, texts } = feature()
  log.append([started as unknown as Event])
  log.close()
  rmSync(path)
  assert.match(matchLog(place) ?? '', /was missing after Ralph was killed, and was restored/)
  assert.deepEqual(texts(), ['one', 'two', 'run.started'])
})

test('a feature deleted and made anew, a copied project and an archived log have nothing to do with the copy of before', () => {
  const { place, path, log } = feature()
  log.append([started as unknown as Event])
  log.close()
  renameSync(place.dir, `${place.dir}-elsewhere`)
  mkdirSync(place.dir)
  assert.equal(matchLog(place), null)
  assert.equal(existsSync(path), false)

  const other = feature()
  other.log.close()
  forgetCopy(other.place)
  assert.deepEqual(readdirSync(join(other.place.root, '.git', 'ralph-log-copies')), [])
})
