/** Notices through a program: the user's own command, or the desktop's notification program. */

import type { Notice } from '../../core/notice/notice.ts'
import { inMarkup } from '../../core/text/escape.ts'
import { lineSplitter } from '../files/lines.ts'
import { childEnv } from '../process/child-env.ts'
import { runTree, type TreeEnd } from '../process/tree.ts'
import type { Channel, ChannelOptions } from './notify.ts'

export type ProgramOptions = Omit<ChannelOptions, 'ring' | 'warn'> & { timeoutMs?: number; platform?: NodeJS.Platform }

/** Gets the notice as JSON on its standard input, and each part of it as a variable. */
export function command(settings: { 'notify.command': string }, options: ProgramOptions): Channel | null {
  const line = settings['notify.command']
  if (line === '') return null
  return {
    name: 'command',
    async send(notice, stop) {
      const { end, said } = await run(options, stop, {
        command: 'sh',
        args: ['-c', line],
        env: variables(notice),
        stdin: `${JSON.stringify(notice)}\n`,
      })
      if (isDone(end)) return null
      return `The command of notify.command failed on the notice "${notice.what}" (${sayEnd(end, options)})${said === '' ? '' : `: ${said}`}. Try it by hand, or fix it`
    },
  }
}

export function desktop(settings: { 'notify.desktop': boolean }, options: ProgramOptions): Channel | null {
  if (!settings['notify.desktop']) return null
  return {
    name: 'desktop',
    async send(notice, stop) {
      const shows = desktopProgram(options.platform ?? process.platform, notice)
      const { end, said } = await run(options, stop, { ...shows, stdin: '' })
      if (isDone(end)) return null
      const why =
        end.how === 'missing' ? end.error : `${shows.command} failed (${sayEnd(end, options)})${said === '' ? '' : `: ${said}`}`
      return `The desktop does not show notices: ${why}. ${shows.advice}, or set notify.desktop to false`
    },
  }
}

/** The words go as arguments or variables, never through a shell or into a script. */
export function desktopProgram(
  platform: NodeJS.Platform,
  notice: Notice,
): { command: string; args: string[]; env: Record<string, string>; advice: string } {
  const text = bodyOf(notice)
  if (platform === 'darwin')
    return { command: 'osascript', args: [...appleScript, notice.title, text], env: {}, advice: 'Allow osascript to notify' }
  if (platform === 'win32') {
    const args = ['-NoProfile', '-NonInteractive', '-Command', toastScript]
    return { command: 'powershell', args, env: variables({ ...notice, text }), advice: 'Allow PowerShell to notify' }
  }
  // The body of a notification is markup on most desktops.
  const args = ['--app-name=Ralph', '--', notice.title, inMarkup(text)]
  return { command: 'notify-send', args, env: {}, advice: 'Install notify-send (libnotify) and have a desktop session' }
}

/** RALPH_NOTICE_WHAT, RALPH_NOTICE_TITLE and so on. */
const variables = (notice: Notice): Record<string, string> =>
  Object.fromEntries(Object.entries(notice).map(([name, value]) => [`RALPH_NOTICE_${name.toUpperCase()}`, value ?? '']))

const bodyOf = ({ text, next }: Notice): string => (next === undefined ? text : `${text}\nNext: ${next}`)

const appleScript = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'].flatMap(
  (line) => ['-e', line],
)

/** A toast needs the name of a program that Windows knows: PowerShell's own. */
const toastScript = [
  "$ErrorActionPreference = 'Stop'",
  '[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  '$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(1)',
  "$texts = $xml.GetElementsByTagName('text')",
  '[void]$texts.Item(0).AppendChild($xml.CreateTextNode($env:RALPH_NOTICE_TITLE))',
  '[void]$texts.Item(1).AppendChild($xml.CreateTextNode($env:RALPH_NOTICE_TEXT))',
  "$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'",
  '[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show((New-Object Windows.UI.Notifications.ToastNotification $xml))',
].join('; ')

const limitMs = 30_000
/** A notice gets no more time than this to end politely. */
const graceMs = 500
const longestLine = 64 * 1024
const shownLength = 200

type Start = { command: string; args: string[]; env: Record<string, string>; stdin: string }

/** `said`: its last output, which usually says why it failed. */
async function run(options: ProgramOptions, stop: AbortSignal, start: Start): Promise<{ end: TreeEnd; said: string }> {
  let said = ''
  const lines = lineSplitter((line) => {
    if (line.trim() !== '') said = line.trim()
  }, longestLine)
  const end = await runTree({
    command: start.command,
    args: start.args,
    cwd: options.cwd,
    env: { ...childEnv(options.env), ...start.env },
    stdin: start.stdin,
    tag: options.tag(),
    timeoutMs: options.timeoutMs ?? limitMs,
    graceMs,
    keep: options.keep,
    isMerged: true,
    onOutput: (chunk) => lines.push(chunk),
    stop,
  })
  lines.end()
  return { end, said: options.mask(said).slice(0, shownLength) }
}

const isDone = ({ how, code }: TreeEnd): boolean => how === 'exited' && code === 0

function sayEnd({ how, code, signal, error }: TreeEnd, { timeoutMs = limitMs }: ProgramOptions): string {
  switch (how) {
    case 'exited':
      return signal === null ? `exit ${code}` : `ended by ${signal}`
    case 'timeout':
      return `timed out after ${timeoutMs / 1000} s`
    case 'stopped':
      return 'stopped, because the run is over'
    case 'missing':
      return error ?? 'could not be started'
  }
}
