/** The conversation of one call with an ACP agent: greeting, session, model, one prompt. */
import { isRecord, type Json, recordOf, recordsIn, textOf } from '../../../core/text/json.ts'
import { reportVariable } from '../../project/agent-report-file.ts'
import { sayValue } from '../shared/json-lines.ts'
import type { Order } from './bridge-options.ts'
import type { RpcAnswer, RpcClient, RpcError } from './client.ts'
import type { TurnPrinter } from './events.ts'

type Given = { prompt: string; cwd: string; env: Record<string, string | undefined> }

export function converse(
  client: RpcClient,
  order: Order,
  turn: TurnPrinter,
  given: Given,
): { answer: Promise<RpcAnswer>; cancel(): void } {
  let sessionId = ''
  let isCancelled = false

  async function talk(): Promise<RpcAnswer> {
    const greeted = await client.ask('initialize', greeting)
    if ('error' in greeted) return greeted
    const { protocolVersion } = greeted.result
    if (protocolVersion !== greeting.protocolVersion)
      return failure(
        `the agent uses protocol version ${sayValue(protocolVersion)}; version ${greeting.protocolVersion} is needed`,
      )
    const session = await client.ask('session/new', { cwd: given.cwd, mcpServers: serversFor(order, given.env) })
    if ('error' in session) return session
    sessionId = textOf(session.result['sessionId'])
    const refused = await chooseModel(client, sessionId, order.model, session.result)
    if (refused) return refused
    await chooseMode(client, sessionId, order, session.result)
    turn.began(sessionId, order.model || modelsOf(session.result).current)
    if (isCancelled) return failure('the turn was cancelled')
    return client.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: given.prompt }] })
  }
  const cancel = (): void => {
    isCancelled = true
    if (sessionId !== '') client.tell('session/cancel', { sessionId })
  }
  return { answer: talk(), cancel }
}

/** The agent reads and writes files itself, and uses its own shell. */
const greeting = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
}

const failure = (message: string): { error: RpcError } => ({ error: { code: 0, message } })

/** Some agents pass a server only the environment variables that are named here. */
function serversFor({ statusTool }: Order, env: Given['env']): Json[] {
  if (!statusTool) return []
  const passedOn = [reportVariable, 'RALPH_RUN'].flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [{ name, value }]
  })
  return [{ name: 'ralph', ...statusTool, env: passedOn }]
}

/** Agents use two ways to choose a model. Undefined: it is chosen, or no model was asked for. */
async function chooseModel(
  client: RpcClient,
  sessionId: string,
  model: string,
  session: Json,
): Promise<{ error: RpcError } | undefined> {
  if (model === '') return undefined
  const { way, option } = modelsOf(session)
  if (way === 'none') return failure(noChoice)
  const answer =
    way === 'option'
      ? await client.ask('session/set_config_option', { sessionId, configId: option, value: model })
      : await client.ask('session/set_model', { sessionId, modelId: model })
  return 'error' in answer ? answer : undefined
}

/**
 * In a read-only call, a mode in which the agent asks before it changes anything, or cannot change anything, whatever mode the user starts it in. If
 * it offers none, Ralph relies on its answers to permission requests. In other calls only Codex needs one: it starts read-only in a folder that the user
 * has not trusted, and its own sandbox must not stop an agent that may do everything.
 */
async function chooseMode(client: RpcClient, sessionId: string, order: Order, session: Json): Promise<void> {
  const option = optionFor('mode', session)
  const offered = option ? valuesIn(option, 'options', 'value') : valuesIn(recordOf(session['modes']), 'availableModes', 'id')
  const isCodex = codexModes.every((name) => offered.includes(name))
  const wanted = order.isReadOnly ? carefulModes : isCodex ? [order.skipPermissions ? 'full-access' : 'auto'] : []
  const mode = wanted.map((name) => offered.find((id) => id.split('#').at(-1) === name)).find((id) => id !== undefined)
  if (mode === undefined) return
  if (option) await client.ask('session/set_config_option', { sessionId, configId: option['id'], value: mode })
  else await client.ask('session/set_mode', { sessionId, modeId: mode })
}

const valuesIn = (from: Json, list: string, key: string): string[] => recordsIn(from[list]).map((each) => textOf(each[key]))

const codexModes = ['read-only', 'auto', 'full-access']
const carefulModes = ['read-only', 'dontAsk', 'ask', 'default', 'plan']

const noChoice = 'the agent does not support choosing a model over the protocol: set the model in its command, not in "model"'

function modelsOf(session: Json): { way: 'option' | 'method' | 'none'; option: string; current: string } {
  const option = optionFor('model', session)
  if (option) return { way: 'option', option: textOf(option['id']), current: textOf(option['currentValue']) }
  if (!isRecord(session['models'])) return { way: 'none', option: '', current: '' }
  return { way: 'method', option: '', current: textOf(recordOf(session['models'])['currentModelId']) }
}

function optionFor(what: 'model' | 'mode', session: Json): Json | undefined {
  const options = recordsIn(session['configOptions'])
  return options.find(({ id, category }) => category === what || id === what)
}
