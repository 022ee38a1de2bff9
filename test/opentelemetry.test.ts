/** Traces and figures of whole runs, as a collector gets them; and that no collector ever holds a run up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributesOf, collectorFor, treeOf } from './support/collector.ts'
import { eventsOf, finishes } from './support/loop.ts'
import { projectFor } from './support/project.ts'

test('a whole run arrives as one trace, with what calls took, and with figures [R-OTEL-1]', async (t) => {
  const collector = await collectorFor(t)
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [[{ run: 'env > "$HOME/env.txt"' }, ...finishes], [{ flip: 'S-2' }], finishes] },
    config: { gates: { tests: 'test "$(ls S-*.txt | wc -l)" -gt 0 && ! test -e broken' }, telemetry: { otlp: collector.url } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const spans = collector.spans()
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1)
  const tree = [...new Set(treeOf(spans))].sort()
  assert.deepEqual(tree, [
    'run',
    'run > gates',
    'run > gates > gate tests',
    'run > iteration',
    'run > iteration > gates',
    'run > iteration > gates > gate tests',
    'run > iteration > invoke_agent scripted',
  ])
  const iterations = eventsOf(project, 'iteration.started').length
  const calls = spans.filter(({ name }) => name === 'invoke_agent scripted')
  assert.equal(calls.length, iterations)
  const about = attributesOf(calls[0]!)
  assert.deepEqual(
    ['gen_ai.operation.name', 'gen_ai.agent.name', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'ralph.story'].map(
      (name) => about[name],
    ),
    ['invoke_agent', 'scripted', 1200, 300, 'S-1'],
  )
  assert.equal(calls[0]!.kind, 3) // of another program
  const [root] = spans.filter(({ name }) => name === 'run')
  assert.equal(attributesOf(root!)['ralph.outcome'], 'complete')
  const parent = /^TRACEPARENT=00-(\w+)-(\w+)-01$/m.exec(project.read('../home/env.txt'))
  assert.deepEqual(parent?.slice(1), [calls[0]!.traceId, calls[0]!.spanId])
  const figures = collector.metrics()
  const has = (pattern: RegExp): void =>
    assert.ok(
      figures.some((figure) => pattern.test(figure)),
      `${pattern}:\n${figures.join('\n')}`,
    )
  has(/^gen_ai\.client\.token\.usage\{.*gen_ai\.token\.type=input\} /)
  assert.equal(collector.lastBucket('gen_ai.client.token.usage'), 4 ** 13)
  has(/^gen_ai\.invoke_agent\.duration\{.*ralph\.role=implementer\} /)
  has(/^ralph\.cost\{.*\} 0\.0\d/)
  has(/^ralph\.iterations\{ralph\.verdict=done\} 2$/)
  has(/^ralph\.gate\.duration\{ralph\.gate=tests,ralph\.passed=true\} /)
  has(/^ralph\.stories\{ralph\.state=passed\} 2$/)
  has(/^ralph\.breaker\{\} 0$/)
  assert.ok(
    figures.every((figure) => !figure.includes('S-1')),
    'no story is a label',
  )
})

test('a run that goes on after a kill goes on in the same trace, and nothing of it is missing', async (t) => {
  const collector = await collectorFor(t)
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [finishes, [{ run: 'kill -9 "$(cat "$HOME/pid")"; sleep 60' }], finishes] },
    config: { gates: { tests: 'true' } },
  })
  project.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url
  project.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'x-key=a-key-of-mine'
  const { child, ended } = project.start('run', '--no-archive')
  project.write('../home/pid', String(child.pid))
  assert.equal((await ended).signal, 'SIGKILL')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const spans = collector.spans()
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1)
  const iterations = spans.filter(({ name }) => name === 'iteration').map((span) => attributesOf(span))
  assert.deepEqual(iterations.map((about) => `${about['ralph.story']} ${about['ralph.verdict']}`).sort(), [
    'S-1 done',
    'S-2 done',
    'S-2 lost',
  ])
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const lost = spans.filter(({ parentSpanId, name }) => name !== 'run' && !ids.has(parentSpanId ?? ''))
  assert.deepEqual(
    lost.map(({ name }) => name),
    [],
  )
  assert.deepEqual([...new Set(collector.headers())], ['a-key-of-mine'])
})

test('a collector that answers nobody, garbage or later, refuses or is not there holds no run up, and is told once', async (t) => {
  const silent = await collectorFor(t, { isSilent: true })
  const refusing = await collectorFor(t, { status: 400 })
  const babbling = await collectorFor(t, { answer: '<html>' })
  const busy = await collectorFor(t, { status: 503 })
  const gone = 'http://127.0.0.1:9'
  for (const url of [silent.url, babbling.url, busy.url, refusing.url, gone]) {
    const project = projectFor(t, { script: { otherwise: finishes }, config: { telemetry: { otlp: url } } })
    const { code, out } = await project.run('run', '--no-archive') // the silent one has not answered yet
    assert.equal(code, 0, out)
    const failures = eventsOf(project, 'noticed').filter(({ what }) => what === 'telemetry-failed')
    assert.ok(failures.length <= 1, JSON.stringify(failures))
    if (url === refusing.url || url === gone)
      assert.match(failures[0]?.detail ?? '', /^Telemetry could not be sent: .+\. The run continues without it$/)
  }
})

test('without an address nothing of it is loaded, and an agent gets no trace', async (t) => {
  const collector = await collectorFor(t)
  const loaded = async (config: Record<string, unknown>): Promise<[libraries: boolean, trace: boolean]> => {
    const project = projectFor(t, { config, script: { otherwise: [{ run: 'env > "$HOME/env.txt"' }, ...finishes] } })
    project.env['NODE_DEBUG'] = 'esm'
    const { code, err } = await project.run('run', '--no-archive')
    assert.equal(code, 0, err)
    return [err.includes('node_modules/@opentelemetry/'), /TRACEPARENT|OTEL_/.test(project.read('../home/env.txt'))]
  }
  assert.deepEqual(await loaded({ telemetry: { otlp: collector.url } }), [true, true])
  assert.deepEqual(await loaded({}), [false, false])
})
