// Spans on their way to a collector: the shape on the wire, a collector that is away, and what is dropped.
import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { type TestContext, test } from 'node:test'
import type { Span } from '#core/span.ts'
import { logTo, silentLog } from '#lib/log.ts'
import { createDial, type Dial } from '#net/dial.ts'
import { createOtlp } from '#net/otlp.ts'
import { openCollector } from '../collector.ts'
import { patienceMs } from '../until.ts'

const span: Span = {
  traceId: '01a1dee2c76c7047a04172b710defcb4',
  spanId: 'a04172b710defcb4',
  name: 'chat test-1',
  kind: 'client',
  startMs: 1_794_740_765_000,
  endMs: 1_794_740_766_250,
  attributes: { text: 'a', whole: 7, part: 0.25, yes: true, list: ['stop'] },
}

async function open(t: TestContext, statusOf?: (request: number) => number) {
  const collector = await openCollector(statusOf)
  t.after(() => collector.close())
  const lines: object[] = []
  const waits: number[] = []
  const exporter = createOtlp({
    endpoint: collector.url,
    headers: { authorization: 'Bearer of-the-collector' },
    service: { name: 'house', version: '1.2.3', instance: 'one' },
    dial: createDial({ lookup: (host) => lookup(host, { all: true }) }),
    log: logTo((level, fields, msg) => lines.push({ level, msg, ...fields }), 'debug'),
    wait(ms) {
      waits.push(ms)
      return Promise.resolve()
    },
  })
  return { collector, exporter, lines, waits }
}

test('spans arrive in the shape of OTLP, with the headers of the collector', async (t) => {
  const { collector, exporter } = await open(t)
  exporter.send([span, { ...span, spanId: 'b04172b710defcb4', parentId: span.spanId, fault: 'model_failed' }])
  await exporter.close(5_000)
  assert.deepEqual(collector.faults, [])
  assert.equal(collector.headers[0]?.['authorization'], 'Bearer of-the-collector')
  assert.deepEqual(collector.resources, [
    { 'service.name': 'house', 'service.version': '1.2.3', 'service.instance.id': 'one' },
  ])
  const [first, second] = collector.spans
  assert.deepEqual(first, {
    traceId: span.traceId,
    spanId: span.spanId,
    name: 'chat test-1',
    kind: 3,
    startTimeUnixNano: '1794740765000000000',
    endTimeUnixNano: '1794740766250000000',
    attributes: span.attributes,
    status: {},
  })
  assert.equal(second?.parentSpanId, span.spanId)
  assert.deepEqual(second?.status, { code: 2, message: 'model_failed' })
  assert.equal(exporter.dropped(), 0)
})

test('a collector that is away for a moment is asked again, one that refuses is not', async (t) => {
  const away = await open(t, (request) => (request === 1 ? 503 : 200))
  away.exporter.send([span])
  await away.exporter.close(5_000)
  assert.deepEqual([away.collector.spans.length, away.waits, away.exporter.dropped()], [1, [1_000], 0])
  const refusing = await open(t, () => 400)
  refusing.exporter.send([span])
  await refusing.exporter.close(5_000)
  assert.deepEqual([refusing.collector.headers.length, refusing.exporter.dropped()], [1, 1])
})

test('a collector that stays away costs its spans and one line in the log', async (t) => {
  const { exporter, lines, collector } = await open(t)
  await collector.close()
  for (let at = 0; at < 3; at++) {
    exporter.send([span])
    await exporter.close(5_000)
  }
  assert.equal(exporter.dropped(), 3)
  assert.equal(lines.length, 1)
  assert.doesNotMatch(JSON.stringify(lines), /of-the-collector/)
})

test('what does not fit into the queue is dropped and counted', async (t) => {
  const { exporter, collector } = await open(t)
  for (let at = 0; at < 50; at++) exporter.send(Array.from({ length: 100 }, () => span))
  await exporter.close(patienceMs)
  assert.equal(exporter.dropped() + collector.spans.length, 5_000)
  assert.ok(exporter.dropped() > 0)
  assert.ok(collector.spans.length >= 4_000)
})

test('long spans are sent in bodies that a collector takes, and dropped where they would fill the memory', async (t) => {
  const { exporter, collector } = await open(t)
  const long = { ...span, attributes: { text: 'x'.repeat(100_000) } }
  // One turn's worth of memory beyond the bound is refused as a whole; what fits is delivered.
  exporter.send(Array.from({ length: 400 }, () => long))
  assert.equal(exporter.dropped(), 400)
  exporter.send(Array.from({ length: 50 }, () => long))
  await exporter.close(patienceMs)
  assert.deepEqual([exporter.dropped(), collector.spans.length, collector.faults], [400, 50, []])
  assert.deepEqual(
    collector.headers.map((headers) => Number(headers['content-length']) <= 2.1 * 1024 * 1024),
    [true, true, true],
  )
  exporter.send([{ ...span, attributes: { text: 'x'.repeat(5_000_000) } }])
  await exporter.close(patienceMs)
  assert.equal(collector.spans.length, 51, 'one that is longer than a body goes alone')
})

type Answered = number | 'fault'

/** An exporter over a collector that answers so, the last one for ever, and what it was sent. */
function openOver(answers: readonly Answered[], wait?: (ms: number, signal: AbortSignal) => Promise<void>) {
  const bodies: { spans: Record<string, unknown>[]; chars: number; listed: boolean | undefined }[] = []
  const waits: number[] = []
  const dial: Dial = ({ body = Buffer.from(''), listed }) => {
    const { resourceSpans } = JSON.parse(String(body))
    const [{ scopeSpans }] = resourceSpans
    bodies.push({ spans: scopeSpans[0].spans, chars: body.length, listed })
    const answer = answers[bodies.length - 1] ?? answers.at(-1) ?? 200
    return Promise.resolve(
      answer === 'fault'
        ? { type: 'fault', fault: { code: 'unreachable', message: 'away', sent: false } }
        : { type: 'answer', status: answer, headers: new Map(), body: Buffer.from('') },
    )
  }
  const exporter = createOtlp({
    endpoint: 'http://collector.example',
    headers: {},
    service: { name: 'house', version: '1', instance: 'one' },
    dial,
    log: silentLog,
    wait(ms, signal) {
      waits.push(ms)
      return wait?.(ms, signal) ?? Promise.resolve()
    },
  })
  return { exporter, bodies, waits }
}

const many = (count: number, more: Partial<Span> = {}): Span[] =>
  Array.from({ length: count }, (_, at) => ({ ...span, ...more, name: `span ${at}` }))

const statuses: readonly [answer: Answered, requests: number][] = [
  [200, 1],
  [299, 1],
  [199, 1],
  [300, 1],
  [400, 1],
  [428, 1],
  [429, 3],
  [430, 1],
  [500, 1],
  [501, 1],
  [502, 3],
  [503, 3],
  ['fault', 3],
]
for (const [answer, requests] of statuses) {
  test(`a collector that answers ${answer} is asked ${requests} times`, async () => {
    const { exporter, bodies, waits } = openOver([answer])
    exporter.send([span])
    await exporter.close(5_000)
    assert.equal(bodies.length, requests)
    assert.deepEqual(waits, requests === 3 ? [1_000, 5_000] : [])
    assert.equal(exporter.dropped(), answer === 200 || answer === 299 ? 0 : 1)
    assert.equal(bodies[0]?.listed, true, 'a collector may be at a private address')
  })
}

test('512 spans go at once, in their order; fewer after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { exporter, bodies } = openOver([200])
  exporter.send(many(511))
  assert.equal(bodies.length, 0)
  t.mock.timers.tick(999)
  assert.equal(bodies.length, 0)
  t.mock.timers.tick(1)
  assert.deepEqual(
    bodies.map(({ spans }) => spans.length),
    [511],
  )
  assert.deepEqual([bodies[0]?.spans[0]?.['name'], bodies[0]?.spans[510]?.['name']], ['span 0', 'span 510'])
  await exporter.close(5_000)
  exporter.send(many(512))
  assert.equal(bodies.length, 2)
  await exporter.close(5_000)
  exporter.send(many(513))
  await exporter.close(5_000)
  assert.deepEqual(
    bodies.slice(1).map(({ spans }) => spans.length),
    [512, 512, 1],
  )
  exporter.send([span])
  t.mock.timers.tick(1_000)
  assert.equal(bodies.length, 5, 'and again after that')
})

test('4096 spans are held, not one more; what was delivered makes room, and the rest is dropped at the end', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { exporter, bodies } = openOver([503, 200], () => promise)
  exporter.send(many(512))
  exporter.send(many(4_095))
  exporter.send(many(1))
  assert.equal(exporter.dropped(), 0)
  exporter.send(many(1))
  assert.equal(exporter.dropped(), 1)
  resolve()
  await exporter.close(5_000)
  assert.equal(exporter.dropped(), 1)
  assert.equal(bodies.length, 2 + 8)
  exporter.send(many(4_096))
  await exporter.close(5_000)
  assert.equal(exporter.dropped(), 1)
})

test('32 MiB of JSON are held; what was delivered makes room', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { exporter } = openOver([503, 200], () => promise)
  const large = (chars: number) => [{ ...span, attributes: { text: 'x'.repeat(chars) } }]
  const mib = 1024 * 1024
  exporter.send(large(2 * mib))
  for (let at = 0; at < 15; at++) exporter.send(large(2 * mib))
  exporter.send(large(1.5 * mib))
  assert.equal(exporter.dropped(), 0)
  exporter.send(large(mib))
  assert.equal(exporter.dropped(), 1)
  resolve()
  await exporter.close(5_000)
  for (let at = 0; at < 15; at++) exporter.send(large(2 * mib))
  await exporter.close(5_000)
  assert.equal(exporter.dropped(), 1)
})

test('what is not delivered in the time of the end is dropped and counted', async () => {
  const untilStopped = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  const { exporter, bodies } = openOver(['fault'], untilStopped)
  exporter.send(many(513))
  await exporter.close(0)
  assert.deepEqual([exporter.dropped(), bodies.length], [513, 3], 'one try behind the pause, one of the rest')
})

test('a span of the service itself, and numbers, stand as OTLP has them', async () => {
  const { exporter, bodies } = openOver([200])
  exporter.send([{ ...span, kind: 'internal', attributes: { whole: 7, part: 0.25 } }])
  await exporter.close(5_000)
  const [sent] = bodies[0]?.spans ?? []
  assert.equal(sent?.['kind'], 1)
  assert.deepEqual(sent?.['attributes'], [
    { key: 'whole', value: { intValue: '7' } },
    { key: 'part', value: { doubleValue: 0.25 } },
  ])
})
