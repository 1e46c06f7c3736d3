// Spans on their way to a collector: the shape on the wire, a collector that is away, and what is dropped.
import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { type TestContext, test } from 'node:test'
import type { Span } from '#core/span.ts'
import { logTo } from '#lib/log.ts'
import { createDial } from '#net/dial.ts'
import { createOtlp } from '#net/otlp.ts'
import { openCollector } from '../collector.ts'

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
  await exporter.close(10_000)
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
  await exporter.close(10_000)
  assert.deepEqual([exporter.dropped(), collector.spans.length, collector.faults], [400, 50, []])
  assert.deepEqual(
    collector.headers.map((headers) => Number(headers['content-length']) <= 2.1 * 1024 * 1024),
    [true, true, true],
  )
  exporter.send([{ ...span, attributes: { text: 'x'.repeat(5_000_000) } }])
  await exporter.close(10_000)
  assert.equal(collector.spans.length, 51, 'one that is longer than a body goes alone')
})
