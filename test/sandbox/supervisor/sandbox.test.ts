// Guests that loop, grow, flood, trap and lie: each is contained with its own fault, and a good call runs right after.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operator } from '#core/ids.ts'
import { createLeakScan } from '#safety/leaks.ts'
import type { LoadedTool, TestReport } from '#sandbox/supervisor/sandbox.ts'
import { answer, chooseBy, component, manyways, ok, request, showNumber } from '../fixtures.ts'
import { patienceMs } from '../../until.ts'
import { createRig, type Rig } from '../rig.ts'

const counted = (times: number, body: string): string => `(local $n i32)
  (loop $l
    ${body}
    (global.set $top (i32.const 65536))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $l (i32.lt_u (local.get $n) (i32.const ${times}))))`

const ways = {
  good: ok,
  loop: `(loop $l (br $l)) ${ok}`,
  growMemory: '(loop $l (br_if $l (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) (call $show (memory.size))',
  growTable: `(loop $l (br_if $l (i32.ge_s (table.grow $t (ref.null extern) (i32.const 1000)) (i32.const 0))))
    (call $show (table.size $t))`,
  recurse: `(drop (call $deep)) ${ok}`,
  trap: 'unreachable',
  farResponse: '(i32.const 0x7ffffff0)',
  farText: answer(0x7fff0000, 100),
  longText: answer(16, 0x7fffffff),
  oddTag: '(i32.store8 (i32.const 1024) (i32.const 7)) (i32.const 1024)',
  noText: answer(5_000, 8),
  both: `(drop ${ok}) (i32.store8 (i32.const 1036) (i32.const 1)) (i32.const 1024)`,
  neither: '(i32.const 1024)',
  tooLong: answer(65_536, 1_048_577),
  justLong: answer(65_536, 1_048_576),
  logFlood: `${counted(30_000, '(call $log (i32.const 2) (i32.const 16) (i32.const 4))')} ${ok}`,
  longLog: `(call $log (i32.const 4) (i32.const 65536) (i32.const 100000)) ${ok}`,
  requests: `(local $good i32)
    ${counted(5_000, `${request} (if (i32.eqz (i32.load8_u (i32.const 2048))) (then (local.set $good (i32.add (local.get $good) (i32.const 1)))))`)}
    (call $show (local.get $good))`,
  levels: `${[0, 1, 2, 3, 4].map((level) => `(call $log (i32.const ${level}) (i32.const 16) (i32.const 4))`).join('')} ${request} ${ok}`,
  lastWords: `(call $log (i32.const 2) (i32.const 16) (i32.const 4)) ${request} (call $log (i32.const 2) (i32.const 16) (i32.const 2)) (loop $l (br $l)) ${ok}`,
  remember: '(global.set $seen (i32.add (global.get $seen) (i32.const 1))) (call $show (global.get $seen))',
}

/** Much of this is work for a busy machine: none of it may end by its time. */
const rig = createRig({ deadlineMs: 100_000 })
/** Loops burn so much. */
const hastyMs = 500
const hasty = createRig({ deadlineMs: hastyMs, cacheFolder: rig.cacheFolder })
let tool: LoadedTool

before(async () => {
  const fields = `(table $t 1 externref) (global $seen (mut i32) (i32.const 0)) ${showNumber}
    (func $deep (result i32) (i32.add (call $deep) (i32.const 1)))
    (data (i32.const 5000) "\\ff\\fe\\80\\c0\\00\\ed\\a0\\80")`
  tool = await rig.load(await manyways(ways, { fields, memory: '(memory (export "memory") 40)' }))
})
after(async () => {
  await hasty.close()
  await rig.close()
})

function call(way: keyof typeof ways, { sandbox } = rig): Promise<TestReport> {
  return sandbox.testCall(tool, { params: chooseBy(ways, way) })
}

async function goodStillRuns(): Promise<void> {
  assert.equal((await call('good')).output, '"ok"')
}

/** Tries with more and more time: a machine with much to do may not even start a process within little. */
async function withTime(holds: (hurried: Rig, secs: number) => Promise<boolean>): Promise<void> {
  for (let deadlineMs = hastyMs; ; deadlineMs *= 2) {
    assert(deadlineMs < patienceMs, 'no time was enough')
    const tried = createRig({ deadlineMs, cacheFolder: rig.cacheFolder })
    try {
      if (await holds(tried, deadlineMs / 1_000)) return
    } finally {
      await tried.close()
    }
  }
}

test('a loop in execute is stopped at the deadline', async () => {
  await withTime(async (hurried, secs) => {
    const report = await call('loop', hurried)
    assert.equal(report.code, 'time_limit')
    assert((report.error ?? '').includes(`did not finish within ${secs} s`), report.error ?? '')
    assert.equal(hurried.sandbox.live().length, 0)
    return (await call('good', hurried)).output === '"ok"'
  })
})

test('a call that was killed keeps its log lines and its requests', async () => {
  await withTime(async (hurried) => {
    const { code, logs, requests } = await call('lastWords', hurried)
    assert.equal(code, 'time_limit')
    if (logs.length < 2) return false
    assert.deepEqual(
      logs.map(({ message }) => message),
      ['"ok"', '"o'],
    )
    assert.deepEqual(requests, [{ method: 'GET', url: 'https://a.example/', status: 200 }])
    return true
  })
})

test('a loop at the start of the module is stopped at the deadline', async () => {
  const looping = component({ fields: '(func $spin (loop $l (br $l))) (start $spin)' })
  await assert.rejects(hasty.load(await looping), { code: 'time_limit' })
  await goodStillRuns()
})

test('a loop in one tool does not hold up another', async () => {
  const other = await rig.load(await component({ execute: `(loop $l (br $l)) ${ok}` }))
  const stop = new AbortController()
  const looping = rig.sandbox.testCall(other, { params: '{}', signal: stop.signal })
  for (let each = 0; each < 20; each++) await goodStillRuns()
  stop.abort()
  assert.match((await looping).error ?? '', /cancelled/)
})

test('a memory grows to its bound and no further', async () => {
  const pages = Number((await call('growMemory')).output)
  assert(pages <= 1_024 && pages > 900, String(pages))
  await goodStillRuns()
})

test('a table grows to its bound and no further', async () => {
  const entries = Number((await call('growTable')).output)
  assert(entries <= 100_000 && entries > 0, String(entries))
  await goodStillRuns()
})

test('a heap of garbage-collected objects ends the process, not the service', async () => {
  const bomb = component({
    fields: '(type $block (array i64)) (type $cell (struct (field (ref null $cell)) (field (ref $block))))',
    execute: `(local $list (ref null $cell))
      (loop $l
        (local.set $list
          (struct.new $cell (local.get $list) (array.new $block (i64.const 1) (i32.const 4096))))
        (br $l))
      ${ok}`,
  })
  assert.equal((await rig.sandbox.testCall(await rig.load(await bomb), { params: '{}' })).code, 'memory_limit')
  await goodStillRuns()
})

for (const way of ['recurse', 'trap', 'farResponse', 'farText', 'longText', 'oddTag'] as const) {
  test(`a trap is told as such: ${way}`, async () => {
    const report = await call(way)
    assert.equal(report.code, 'trap')
    assert.match(report.error ?? '', /^probe: the tool broke off: /)
    await goodStillRuns()
  })
}

test('bytes that are no text do not break the frame', async () => {
  const report = await call('noText')
  assert(report.code === 'trap' || typeof report.output === 'string')
  await goodStillRuns()
})

test('exactly one of output and error: both and neither are named', async () => {
  const [both, neither] = [await call('both'), await call('neither')]
  assert.deepEqual([both.code, neither.code], ['response_invalid', 'response_invalid'])
  assert.match(both.error ?? '', /both output and error/)
  assert.match(neither.error ?? '', /neither output nor error/)
})

test('an answer over 1 MiB is refused, one of just 1 MiB is not', async () => {
  assert.equal((await call('tooLong')).code, 'output_too_large')
  assert.equal((await call('justLong')).output?.length, 1_048_576)
})

test('a flood of log lines is cut to a thousand, and the rest counted', async () => {
  const report = await call('logFlood')
  assert.equal(report.output, '"ok"')
  assert.equal(report.logs.length, 1_000)
  assert.match(report.logs.at(-1)?.message ?? '', /^29001 more lines were dropped$/)
})

test('a log line over 4 KB is cut', async () => {
  const { logs } = await call('longLog')
  assert.deepEqual(
    logs.map(({ level, message }) => [level, message.length]),
    [['error', 4_096]],
  )
})

test('the fifty-first request of a call fails, and the call goes on', async () => {
  const report = await call('requests')
  assert.equal(report.output, '50')
  assert.equal(report.requests.length, 50)
})

test('each call gets a fresh instance: nothing stays from the last one', async () => {
  for (let each = 0; each < 5; each++) assert.equal((await call('remember')).output, '1')
})

test('a call of the agent reports its requests, and writes its log lines and the requests that failed', async () => {
  const lines: [string, object, string][] = []
  const write = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const fault = { code: 'unreachable', message: 'nobody there', sent: false } as const
  const dial = () => Promise.resolve({ type: 'fault', fault } as const)
  const watched = createRig({ log, dial })
  const uses: object[] = []
  const params = chooseBy(ways, 'levels')
  const reportUse = (use: object): void => void uses.push(use)
  assert.equal(await watched.sandbox.execute(tool, { params, user: operator, callId: 'c', reportUse }), '"ok"')
  await watched.close()
  assert.deepEqual(uses, [{ sent: [{ method: 'GET', host: 'a.example' }], secrets: [], leaks: [] }])
  const by = { tool: 'probe', callId: 'c' }
  assert.deepEqual(lines, [
    ...['debug', 'debug', 'info', 'warn', 'error'].map((level) => [level, by, '"ok"']),
    ['warn', { ...by, method: 'GET', url: 'https://a.example/', reason: 'nobody there' }, 'a request of a tool failed'],
  ])
})

test('a sandbox that was never used has no process, and closes at once', async () => {
  const { sandbox } = createRig()
  assert.deepEqual(sandbox.live(), [])
  await sandbox.close()
})

test('parameters of just 1 MiB run, and one byte more is refused', async () => {
  const most = JSON.stringify('x'.repeat(1_048_574))
  assert.equal((await rig.sandbox.testCall(tool, { params: most })).code, undefined)
  assert.equal((await rig.sandbox.testCall(tool, { params: `${most} ` })).code, 'params_too_large')
})

test('parameters of a model must be JSON; what somebody tries out goes in as it is', async () => {
  await assert.rejects(rig.sandbox.execute(tool, { params: '{', user: operator, callId: 'c' }), {
    code: 'params_invalid',
  })
  assert.notEqual((await rig.sandbox.testCall(tool, { params: '{' })).code, 'params_invalid')
})

test('others are served while the many lines of a call are masked for the log', async () => {
  let turn = 0
  const turns: number[] = []
  const count = setInterval(() => turn++, 0)
  const work = (text: string): string => {
    turns.push(turn)
    for (const until = performance.now() + 0.1; performance.now() < until; );
    return text
  }
  const slow = createRig({ scan: () => ({ ...createLeakScan(), mask: work }), cacheFolder: rig.cacheFolder })
  try {
    const { logs } = await call('logFlood', slow)
    assert.equal(logs.length, 1_000)
    assert(new Set(turns).size > 1)
  } finally {
    clearInterval(count)
    await slow.close()
  }
})
