// The time of one call, by a clock that the test moves.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type CallDeadline, createCallDeadline } from '#mcp/call-deadline.ts'

/** A call with a second between reports of progress, and two and a half in all. */
function begin(t: TestContext): CallDeadline & { pass(ms: number): void } {
  let now = 0
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => now)
  const deadline = createCallDeadline({ signal: new AbortController().signal, callMs: 1_000, maxMs: 2_500 })
  return {
    ...deadline,
    pass(ms) {
      now += ms
      t.mock.timers.tick(ms)
    },
  }
}

test('progress renews the time of a call, up to a whole', (t) => {
  const call = begin(t)
  for (let time = 0; time < 2; time++) {
    call.pass(999)
    call.renew()
  }
  assert.equal(call.isOver(), false)
  call.pass(501)
  call.renew()
  call.pass(1)
  assert.equal(call.isOver(), true)
})

test('no time passes while a person is asked, also about several things, and whatever progress is told', (t) => {
  const call = begin(t)
  call.pass(900)
  const [first, second] = [call.hold(), call.hold()]
  call.pass(60_000)
  call.renew()
  call.pass(60_000)
  first()
  call.pass(60_000)
  assert.equal(call.isOver(), false)
  second()
  call.pass(999)
  assert.equal(call.isOver(), false)
  call.pass(1)
  assert.equal(call.isOver(), true)
})

test('a call that has ended has no time any more, though its person answers later', (t) => {
  const call = begin(t)
  const release = call.hold()
  call.end()
  release()
  call.pass(60_000)
  assert.deepEqual([call.isOver(), call.signal.aborted], [false, false])
})
