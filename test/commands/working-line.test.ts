// `working 3 s`, while a command waits for words of the model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkingLine } from '#commands/working-line.ts'

test('a terminal shows how long the turn has worked, and the line is gone before other words', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let [ms, written] = [0, '']
  const stream = { isTTY: true, write: (text: string) => ((written += text), true) }
  const working = createWorkingLine({ stream, now: () => ms })
  const pass = (by: number) => {
    ms += by
    t.mock.timers.tick(by)
    return [written, (written = '')][0]
  }
  working.begin()
  working.begin()
  assert.equal(pass(999), '', 'a quick reply has no line')
  assert.equal(pass(1), '\r\u001b[Kworking 1 s, Ctrl+C stops')
  assert.equal(pass(1_000), '\r\u001b[Kworking 2 s, Ctrl+C stops')
  working.end()
  assert.equal(pass(0), '\r\u001b[K')
  assert.equal(pass(5_000), '')
  working.begin()
  assert.equal(pass(1_000), '\r\u001b[Kworking 8 s, Ctrl+C stops', 'it counts from the message on')
  working.end()
})

test('a file or a pipe gets nothing', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const working = createWorkingLine({ stream: { isTTY: false, write: () => assert.fail('it wrote') } })
  working.begin()
  t.mock.timers.tick(60_000)
  working.end()
})
