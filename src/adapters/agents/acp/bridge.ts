/** The program between Ralph and an ACP agent: takes the prompt on stdin, holds the conversation, and prints what Claude Code would print. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type Json, recordOf } from '../../../core/text/json.ts'
import { lineSplitter } from '../../files/lines.ts'
import { orderIn, orderVariable } from './bridge-options.ts'
import { type RpcClient, rpcClient } from './client.ts'
import { converse } from './conversation.ts'
import { turnPrinter } from './events.ts'
import { isAllowed, permissionAnswer } from './permission.ts'

/** How long the agent gets to notice a cancel, to exit when its input ends, and to exit when it is told to. */
const [cancelMs, leaveMs, termMs] = [1000, 2000, 500]
/** After its exit, still read what is already in the pipe. */
const drainMs = 250
/** Only an idle agent is silent: a long message that is still arriving is not silence. */
const aliveMs = 1000

await main(process.argv[2] ?? '', process.argv.slice(3))

async function main(command: string, args: string[]): Promise<void> {
  const { [orderVariable]: ordered, ...env } = process.env
  const order = orderIn(ordered)
  const permissions = { ...order, hasStatusTool: order.statusTool !== undefined }
  const prompt = await text(process.stdin)
  const child = spawn(command, args, { env })

  let printedAt = performance.now()
  const print = (event: Json): void => {
    printedAt = performance.now()
    process.stdout.write(`${JSON.stringify(event)}\n`)
  }
  const turn = turnPrinter(print)
  const client = rpcClient({
    send: (line) => child.stdin.write(line),
    noise: (line) => process.stderr.write(`${line}\n`),
    told: (method, params) => {
      if (method === 'session/update') turn.updated(params)
      if (performance.now() - printedAt > aliveMs) print({ type: 'system', subtype: 'alive' })
    },
    asked: (method, params) => {
      if (method !== 'session/request_permission') return undefined
      const tool = turn.asked(recordOf(params['toolCall']))
      const { isGranted, answer } = permissionAnswer(params['options'], isAllowed(tool, permissions))
      if (!isGranted) turn.denied(tool)
      return answer
    },
  })
  const left = listen(child, client, command)
  const conversation = converse(client, order, turn, { prompt, cwd: process.cwd(), env })
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    conversation.cancel()
    setTimeout(() => client.close({ code: 0, message: 'the agent was told to stop' }), cancelMs)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  process.stdout.on('error', stop) // nobody listens any more

  const isError = turn.ended(await conversation.answer)
  child.stdin.end()
  await dismiss(child, left, isStopping)
  process.stdout.write('', () => process.exit(isError ? 1 : 0)) // processes that the agent left behind may hold its pipes open
}

/** Reads the agent's output, and closes the conversation when no more can come. Resolves when the agent has exited. */
function listen(child: ChildProcessWithoutNullStreams, client: RpcClient, command: string): Promise<void> {
  let how = 'closed its output'
  let lastLine = ''
  const errors = lineSplitter((line) => {
    lastLine = line.trim() || lastLine
  })
  child.stdin.on('error', () => {}) // its exit code says more
  child.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk)
    errors.push(chunk)
  })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const close = async (): Promise<void> => {
    await Promise.race([closed, pause(drainMs)])
    const words = lastLine === '' ? '' : `: ${lastLine.slice(0, 300)}`
    client.close({ code: 0, message: `the agent ${how} before its turn ended${words}` })
  }
  read(child, client).then(close)
  return new Promise((resolve) => {
    child.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      client.close({ code: 0, message: code === 'ENOENT' ? `${command}: no such program` : message })
      resolve()
    })
    child.on('exit', (code, signal) => {
      how = code === null ? `was ended by ${signal}` : `exited with ${code}`
      close()
      resolve()
    })
  })
}

async function read({ stdout }: ChildProcessWithoutNullStreams, client: RpcClient): Promise<void> {
  try {
    for await (const chunk of stdout) {
      client.push(chunk as Buffer)
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain') // as fast as Ralph reads
    }
    client.end()
  } catch {
    // it stopped halfway: its exit code says why
  }
}

async function dismiss(child: ChildProcessWithoutNullStreams, left: Promise<void>, isStopping: boolean): Promise<void> {
  const isGone = (ms: number): Promise<boolean> => Promise.race([left.then(() => true), pause(ms, false, { ref: true })])
  if (!isStopping && (await isGone(leaveMs))) return
  child.kill('SIGTERM')
  if (!(await isGone(termMs))) child.kill('SIGKILL')
}
