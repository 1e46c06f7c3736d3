// Counters as Prometheus reads them: each line of its text format, and bounds on what can be made of names from outside.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#lib/metrics.ts'

test('counters, histograms and gauges are told in the text format, each under its help and type', async () => {
  const metrics = createMetrics()
  const calls = metrics.counter('calls_total', 'Calls,\nby tool.', ['tool', 'outcome'])
  const time = metrics.histogram('call_seconds', 'Time.', ['tool'], [0.1, 1])
  metrics.gauge({ name: 'open', help: 'Open now.', read: () => 3 })
  metrics.gauge({ name: 'active', help: 'By status.', read: async () => [{ labels: { status: 'queued' }, value: 2 }] })
  calls.add(1, 'a "quoted"\\one\n', 'ok')
  calls.add(2.5, 'b', 'error')
  calls.add(1, 'b', 'error')
  for (const seconds of [0.05, 0.1, 0.5, 7]) time.observe(seconds, 'b')
  assert.equal(
    await metrics.text(),
    String.raw`# HELP calls_total Calls,\nby tool.
# TYPE calls_total counter
calls_total{tool="a \"quoted\"\\one\n",outcome="ok"} 1
calls_total{tool="b",outcome="error"} 3.5
# HELP call_seconds Time.
# TYPE call_seconds histogram
call_seconds_bucket{tool="b",le="0.1"} 2
call_seconds_bucket{tool="b",le="1"} 3
call_seconds_bucket{tool="b",le="+Inf"} 4
call_seconds_sum{tool="b"} 7.65
call_seconds_count{tool="b"} 4
# HELP open Open now.
# TYPE open gauge
open 3
# HELP active By status.
# TYPE active gauge
active{status="queued"} 2
`,
  )
})

test('names from outside make a bounded number of series; the rest counts together', async () => {
  const metrics = createMetrics()
  const calls = metrics.counter('calls_total', 'Calls.', ['tool'])
  for (let at = 0; at < 5_000; at++) calls.add(1, `tool ${at}`)
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('calls_total'))
  assert.equal(lines.length, 201)
  assert.equal(lines.at(-1), 'calls_total{tool="other"} 4800')
})

test('what cannot be known now is left out, and the rest is told', async () => {
  const metrics = createMetrics()
  metrics.gauge({ name: 'away', help: 'Away.', read: () => Promise.reject(new Error('the database is away')) })
  metrics.gauge({
    name: 'broken',
    help: 'Broken.',
    read() {
      throw new Error('at once')
    },
  })
  metrics.gauge({ name: 'here', help: 'Here.', read: () => Number.POSITIVE_INFINITY })
  assert.equal(await metrics.text(), '# HELP here Here.\n# TYPE here gauge\nhere +Inf\n')
})
