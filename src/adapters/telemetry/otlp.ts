/** Sends spans and figures to an OpenTelemetry collector, with the official SDK. Loaded only if it is asked for; never waited for. */

import type { Agent as HttpAgent } from 'node:http'
import { Socket } from 'node:net'
import type { Attributes, Context, Span } from '@opentelemetry/api'
import { spanIdOf, traceIdOf } from './trace-context.ts'

/** A span that has ended. `key`, `within`: what their ids are made from. */
export type EndedSpan = {
  key: string
  within: string | null
  name: string
  isCall?: true
  startedAt: string
  endedAt: string
  facts: Attributes
  problem?: string
}
/** A figure that just came in. `gauge`: it replaces the last one with these labels. */
export type Figure = { name: string; as: 'count' | 'histogram' | 'gauge'; unit: string; value: number; labels: Attributes }

export type Telemetry = {
  spans(ended: EndedSpan[]): void
  measure(measures: Figure[]): void
  /** Sends what is left, as long as there is time. */
  close(graceMs: number): Promise<void>
}

export type TelemetryOptions = {
  run: string
  /** Empty: where OTEL_EXPORTER_OTLP_ENDPOINT and its like say. */
  url: string
  /** About the first failure. */
  failed(why: string): void
}

/** The missing package. */
export type NotInstalled = { missing: string }

/** How long one batch may take. */
const exportMs = 5_000
/** Until the next batch of spans, and of figures. */
const spansMs = 2_000
const figuresMs = 15_000

/** Powers of four, as the GenAI conventions have them: the usual ones end at 10,000, and a call takes millions. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)

export async function openTelemetry({ run, url, failed }: TelemetryOptions): Promise<Telemetry | NotInstalled> {
  const otel = await libraries()
  if ('missing' in otel) return otel
  const { api, trace, metrics, resources, traceExporter, metricsExporter } = otel
  let isTold = false
  const tellOnce = (why: string): void => {
    if (!isTold) failed(why)
    isTold = true
  }
  /** Its own word for each batch goes nowhere else. */
  const telling = <T extends { export(data: never, done: (result: { code: number; error?: Error }) => void): void }>(
    exporter: T,
  ): T => {
    const send = exporter.export.bind(exporter)
    exporter.export = (data, done) =>
      send(data, (result) => {
        if (result.code !== 0) tellOnce(result.error?.message || 'the collector did not take what was sent')
        done(result)
      })
    return exporter
  }
  const to = (path: string) => ({
    timeoutMillis: exportMs,
    httpAgentOptions: agentFor,
    ...(url === '' ? {} : { url: `${url.replace(/\/+$/, '')}${path}` }),
  })
  const named = resources.resourceFromAttributes({
    'service.name': 'ralph',
    'service.instance.id': run,
  })
  const resource = named.merge(resources.detectResources({ detectors: [resources.envDetector] }))
  let nextId = ''
  const spans = new trace.TracerProvider({
    resource,
    // The ids come from the log: a run that goes on after a kill goes on in the same trace.
    idGenerator: { generateTraceId: () => traceIdOf(run), generateSpanId: () => nextId },
    sampler: new trace.AlwaysOnSampler(),
    spanProcessors: [
      new trace.BatchSpanProcessor({
        exporter: telling(new traceExporter.OTLPTraceExporter(to('/v1/traces'))),
        scheduledDelayMillis: spansMs,
        exportTimeoutMillis: exportMs,
      }),
    ],
  })
  const figures = new metrics.MeterProvider({
    resource,
    readers: [
      new metrics.PeriodicExportingMetricReader({
        exporter: telling(new metricsExporter.OTLPMetricExporter(to('/v1/metrics'))),
        exportIntervalMillis: figuresMs,
        exportTimeoutMillis: exportMs,
      }),
    ],
  })
  const tracer = spans.getTracer('ralph')
  const meter = figures.getMeter('ralph')
  const instruments = new Map<string, (value: number, labels: Attributes) => void>()

  const contextOf = (within: string | null): Context => {
    if (within === null) return api.ROOT_CONTEXT
    const known = { traceId: traceIdOf(run), spanId: spanIdOf(run, within), traceFlags: api.TraceFlags.SAMPLED }
    return api.trace.setSpanContext(api.ROOT_CONTEXT, known)
  }
  const instrumentFor = ({ name, as, unit }: Figure): ((value: number, labels: Attributes) => void) => {
    if (as === 'count') {
      const counter = meter.createCounter(name, { unit })
      return (value, labels) => counter.add(value, labels)
    }
    const advice = unit === '{token}' ? { explicitBucketBoundaries: tokenBuckets } : {}
    const recorder = as === 'gauge' ? meter.createGauge(name, { unit }) : meter.createHistogram(name, { unit, advice })
    return (value, labels) => recorder.record(value, labels)
  }

  return {
    spans(ended) {
      for (const { key, within, name, isCall, startedAt, endedAt, facts, problem } of ended) {
        nextId = spanIdOf(run, key)
        const kind = isCall ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL
        const span: Span = tracer.startSpan(name, { kind, startTime: new Date(startedAt), attributes: facts }, contextOf(within))
        if (problem !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: problem })
        span.end(new Date(endedAt))
      }
    },
    measure(measures) {
      for (const measure of measures) {
        const record = instruments.get(measure.name) ?? instrumentFor(measure)
        instruments.set(measure.name, record)
        record(measure.value, measure.labels)
      }
    },
    async close(graceMs) {
      const over = Promise.allSettled([spans.shutdown(), figures.shutdown()])
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, graceMs, 'late')))
      if ((await Promise.race([over, late])) === 'late') tellOnce(`the collector did not answer within ${graceMs / 1000} s`)
      clearTimeout(timer)
    },
  }
}

/** What a collector keeps waiting keeps no process alive: only the end of a run waits, for its time. */
async function agentFor(protocol: string): Promise<HttpAgent> {
  const { Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent: HttpAgent = new Agent({ keepAlive: true })
  const open = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    const made = open(options, done)
    if (made instanceof Socket) made.unref()
    return made
  }
  return agent
}

async function libraries(): Promise<NotInstalled | Awaited<ReturnType<typeof loaded>>> {
  try {
    return await loaded()
  } catch (error) {
    const missing = /'(@opentelemetry\/[\w-]+)'/.exec((error as Error).message)?.[1]
    if (missing === undefined) throw error
    return { missing }
  }
}

async function loaded() {
  const [api, trace, metrics, resources, traceExporter, metricsExporter] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
  ])
  return { api, trace, metrics, resources, traceExporter, metricsExporter }
}
