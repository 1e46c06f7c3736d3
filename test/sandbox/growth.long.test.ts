// Ten thousand calls: memory stays where it was, nothing is left behind.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { component, request } from './fixtures.ts'
import { createRig } from './rig.ts'

const calls = 10_000

function residentMib(pid: number | 'self' | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

for (const [what, bytes] of [
  [
    'a minimal component with a request',
    () => component({ execute: `${request} (call $answer (i32.const 16) (i32.const 4))` }),
  ],
  [
    'the weather tool',
    () => Promise.resolve(readFileSync(new URL('../../tools/weather/dist/weather.wasm', import.meta.url))),
  ],
] as const) {
  test(`no growth over ${calls} calls of ${what}`, async () => {
    const rig = createRig()
    try {
      const tool = await rig.load(await bytes())
      const run = async (times: number): Promise<void> => {
        for (let each = 0; each < times; each++)
          await rig.sandbox.testCall(tool, { params: '{"action":"get_current","city":""}' })
      }
      await run(1_000)
      const pid = rig.sandbox.live()[0]?.pid
      const before = [residentMib(pid), residentMib('self')] as const
      await run(calls)
      const after = [residentMib(rig.sandbox.live()[0]?.pid), residentMib('self')] as const
      console.log(
        `resident MiB: child ${before[0].toFixed(0)} -> ${after[0].toFixed(0)}, service ${before[1].toFixed(0)} -> ${after[1].toFixed(0)}`,
      )
      assert(after[0] < before[0] + 60, 'the child grew')
      assert(after[1] < before[1] + 60, 'the service grew')
      assert.equal(rig.sandbox.live().length, 1)
    } finally {
      await rig.close()
    }
  })
}
