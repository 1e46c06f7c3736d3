// Processes of servers that a killed service left behind.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { endOrphans, homeMark, markVariable, newMark } from '#mcp/process-mark.ts'
import { until } from '../until.ts'
import { processesOf } from './harness.ts'

async function idler(t: TestContext, mark?: string): Promise<ChildProcess> {
  const env = mark === undefined ? {} : { [markVariable]: mark }
  const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child
}

/** As a service with this process id would mark its servers. */
function markBy(home: string, pid: number, start?: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return `${home}.${pid}.${start ?? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}.x`
}

test('only servers of this home whose service is gone are ended', async (t) => {
  const [home, other] = [homeMark(`${process.pid} a`), homeMark(`${process.pid} b`)]
  const owner = await idler(t)
  const pid = owner.pid ?? 0
  for (const mark of [markBy(home, pid), markBy(home, pid), markBy(other, pid), await newMark(home)])
    await idler(t, mark)
  await until(() => processesOf(home).length === 3)
  assert.equal(await endOrphans(home), 0)
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  assert.equal(await endOrphans(home), 2)
  assert.equal(processesOf(home).length, 1)
  assert.equal(processesOf(other).length, 1)
})

test('a process id that is used again is not the service that was killed', async (t) => {
  const home = homeMark(`${process.pid} c`)
  await idler(t, markBy(home, process.pid, '1'))
  await until(() => processesOf(home).length === 1)
  assert.equal(await endOrphans(home), 1)
})
