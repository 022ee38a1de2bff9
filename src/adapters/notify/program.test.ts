import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { findTagged } from '../process/survivors.ts'
import { desktopProgram, command as openCommand, desktop as openDesktop, type ProgramOptions } from './program.ts'

const notice: Notice = {
  what: 'blocked',
  title: 'Ralph: x: BLOCKED',
  text: '$(touch hacked) `id` "<b>" & \'more\'',
  feature: 'x',
  run: 'r',
  at: '2026-01-05T08:00:00.000Z',
  outcome: 'blocked',
  next: 'ralph unblock',
}
const command = (line: string, options: ProgramOptions) => openCommand({ 'notify.command': line }, options)!
const desktop = (platform: NodeJS.Platform, options: ProgramOptions) =>
  openDesktop({ 'notify.desktop': true }, { ...options, platform })!
const never = new AbortController().signal
let tags = 0

function world(t: TestContext, more: Partial<ProgramOptions> = {}) {
  const root = tempFolder(t)
  const tag = `${root}:notice`
  const options: ProgramOptions = {
    cwd: root,
    env: { PATH: `${root}:${process.env['PATH']}`, HOME: root, LANG: 'C.UTF-8' },
    tag: () => `${tag}-${++tags}`,
    keep: [],
    mask: (text) => text.replaceAll('hush', '***'),
    ...more,
  }
  const left = () => findTagged({ tag: (found) => found.startsWith(tag), mark: () => false })
  return { root, options, left, read: (name: string) => readFileSync(join(root, name), 'utf8') }
}

test('a command gets the notice on its input and in variables, in the project’s root [R-NOTE-1]', async (t) => {
  const { options, read } = world(t)
  const line =
    'cat > in.json; printf "%s|%s|%s|%s" "$RALPH_NOTICE_WHAT" "$RALPH_NOTICE_TEXT" "$RALPH_NOTICE_OUTCOME" "$RALPH_NOTICE_NEXT" > vars'
  assert.equal(await command(line, options).send(notice, never), null)
  assert.deepEqual(JSON.parse(read('in.json')), notice)
  assert.equal(read('vars'), `blocked|${notice.text}|blocked|ralph unblock`)
})

test('a command that fails is told with its exit code and last words, masked [R-NOTE-1]', async (t) => {
  const { options } = world(t)
  assert.equal(
    await command('echo first; echo the key hush is wrong >&2; exit 3', options).send(notice, never),
    'The command of notify.command failed on the notice "blocked" (exit 3): the key *** is wrong. Try it by hand, or fix it',
  )
})

test('a command that takes too long, or that the run does not wait for, is ended with all it started [R-NOTE-1]', async (t) => {
  const { options, left } = world(t, { timeoutMs: 300 })
  assert.equal(
    await command('sleep 600 & sleep 600', options).send(notice, never),
    'The command of notify.command failed on the notice "blocked" (timed out after 0.3 s). Try it by hand, or fix it',
  )
  const stop = new AbortController()
  const sent = command('sleep 600', { ...options, timeoutMs: 60_000 }).send(notice, stop.signal)
  stop.abort()
  assert.match((await sent) ?? '', /\(stopped, because the run is over\)/)
  assert.deepEqual(left(), [])
})

test('two notices at once do not end each other’s processes [R-NOTE-1]', async (t) => {
  const { root, options, read } = world(t)
  const { send } = command(
    'if mkdir first 2>/dev/null; then until test -f second; do :; done; echo 1 > done; else echo 2 > second; fi',
    options,
  )
  assert.deepEqual(await Promise.all([send(notice, never), send(notice, never)]), [null, null])
  assert.deepEqual([read('done'), existsSync(join(root, 'hacked'))], ['1\n', false])
})

test('on Linux notify-send gets the words as they are, as arguments behind "--" [R-NOTE-1]', async (t) => {
  const { root, options, read } = world(t)
  writeFileSync(join(root, 'notify-send'), '#!/bin/sh\nprintf "[%s]" "$@" > shown\n')
  chmodSync(join(root, 'notify-send'), 0o755)
  assert.equal(await desktop('linux', options).send(notice, never), null)
  const body = '$(touch hacked) `id` "&lt;b&gt;" &amp; \'more\'\nNext: ralph unblock'
  assert.equal(read('shown'), `[--app-name=Ralph][--][${notice.title}][${body}]`)
  assert.equal(existsSync(join(root, 'hacked')), false)
})

test('a desktop without its program is told what to install [R-NOTE-1]', async (t) => {
  const { root, options } = world(t)
  assert.equal(
    await desktop('linux', { ...options, env: { PATH: root } }).send(notice, never),
    'The desktop does not show notices: notify-send: no such program. Install notify-send (libnotify) and have a desktop session, or set notify.desktop to false',
  )
})

test('on macOS and Windows the words are never part of a script [R-NOTE-1]', () => {
  const body = `${notice.text}\nNext: ralph unblock`
  const mac = desktopProgram('darwin', notice)
  assert.deepEqual(
    [mac.command, mac.args.slice(-2), mac.args.slice(0, -2).join(' ').includes('touch')],
    ['osascript', [notice.title, body], false],
  )
  const windows = desktopProgram('win32', notice)
  assert.deepEqual(
    [windows.command, windows.args.slice(0, 3), windows.args.join(' ').includes('touch')],
    ['powershell', ['-NoProfile', '-NonInteractive', '-Command'], false],
  )
  assert.deepEqual([windows.env['RALPH_NOTICE_TITLE'], windows.env['RALPH_NOTICE_TEXT']], [notice.title, body])
})
