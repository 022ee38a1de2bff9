/** An OpenTelemetry collector on the loopback interface: takes OTLP over HTTP in JSON, as the real ones do. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
type Attribute = { key: string; value: Value }
export type GotSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code: number; message?: string }
}
type Point = {
  attributes: Attribute[]
  asInt?: string
  asDouble?: number
  count?: string
  sum?: number
  explicitBounds?: number[]
}
type Metric = { name: string } & Partial<Record<'sum' | 'gauge' | 'histogram', { dataPoints: Point[] }>>

export type Collector = {
  url: string
  /** What came, each span once. */
  spans(): GotSpan[]
  metrics(): string[]
  /** Where the last bucket of a histogram begins. */
  lastBucket(name: string): number | undefined
  headers(): (string | undefined)[]
  /** Whoever waits for an answer gets it. */
  answer(): void
}

/** `answer`: with each status, which asks to come back in an hour. `isSilent`: it takes what is sent, and answers nobody until it is told to. */
export async function collectorFor(
  t: TestContext,
  { status = 200, answer: words = '{}', isSilent = false } = {},
): Promise<Collector> {
  const spans = new Map<string, GotSpan>()
  const metrics = new Set<string>()
  const longest = new Map<string, number>()
  const headers: (string | undefined)[] = []
  let waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    headers.push(request.headers['x-key'] as string | undefined)
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      take(JSON.parse(Buffer.concat(parts).toString('utf8')))
      const answer = (): void =>
        void response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600' }).end(words)
      if (isSilent) waiting.push(answer)
      else answer()
    })
  })
  function take(body: {
    resourceSpans?: { scopeSpans: { spans: GotSpan[] }[] }[]
    resourceMetrics?: { scopeMetrics: { metrics: Metric[] }[] }[]
  }): void {
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const scope of scopeSpans) for (const span of scope.spans) spans.set(span.spanId, span)
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const scope of scopeMetrics)
        for (const { name, sum, gauge, histogram } of scope.metrics)
          for (const { attributes, asInt, asDouble, count, explicitBounds } of (sum ?? gauge ?? histogram)?.dataPoints ?? []) {
            longest.set(name, explicitBounds?.at(-1) ?? 0)
            metrics.add(
              `${name}{${attributes.map(({ key, value }) => `${key}=${textOf(value)}`).join(',')}} ${asDouble ?? asInt ?? count}`,
            )
          }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const answer = (): void => {
    for (const each of waiting) each()
    waiting = []
  }
  t.after(() => {
    answer()
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans.values()],
    metrics: () => [...metrics],
    lastBucket: (name) => longest.get(name),
    headers: () => headers,
    answer,
  }
}

const textOf = ({ stringValue, intValue, doubleValue, boolValue }: Value): unknown =>
  stringValue ?? intValue ?? doubleValue ?? boolValue

/** Its attributes, by name. */
export const attributesOf = ({ attributes }: GotSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]))

/** Each span with what it is within, in the order in which they began: `run > iteration > invoke_agent scripted`. */
export function treeOf(spans: GotSpan[]): string[] {
  const named = (span: GotSpan): string => {
    const around = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return around === undefined ? span.name : `${named(around)} > ${span.name}`
  }
  const inOrder = spans.toSorted((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
  return inOrder.map(named)
}
