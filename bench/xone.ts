import { createChildren } from './children.ts'
import { runLoad } from './load.ts'
import { loopLoad, floorLoad, startFloor, startLoop } from './suite.ts'
import { readFileSync, readdirSync } from 'node:fs'
import { execSync } from 'node:child_process'
const children = createChildren()
const { origin: model } = await children.start('mock-model.ts')
const bench = { children, model, scale: undefined as never }
const loop = await startLoop(bench)
const b = await startFloor(bench, 'B')
const pids = execSync('pgrep -f bench/front.ts; true').toString().trim().split('\n')
const bpids = execSync('pgrep -f bench/floors.ts; true').toString().trim().split('\n')
const threads = (pid: string) => Object.fromEntries(readdirSync(`/proc/${pid}/task`).map((t) => [readFileSync(`/proc/${pid}/task/${t}/comm`, 'utf8').trim() + ' ' + t, Number(readFileSync(`/proc/${pid}/task/${t}/schedstat`, 'utf8').split(' ')[0]) / 1e6]))
await runLoad({ origin: loop.origin, ...loopLoad(16, 4000) })
await runLoad({ origin: b.origin, ...floorLoad(16, 4000) })
for (const c of [1, 16, 1, 16, 1, 16]) for (const [n, child, pid, load] of [['loop', loop, pids[0], loopLoad], ['B', b, bpids[0], floorLoad]] as const) {
  const before = threads(pid ?? '')
  const u0 = await child.used()
  const turns = 2000
  await runLoad({ origin: child.origin, ...load(c, turns) })
  const u1 = await child.used()
  const after = threads(pid ?? '')
  console.log(n, c, ((u1.cpuMs - u0.cpuMs) / turns).toFixed(3), (u1.rssBytes / 1e6).toFixed(0), Object.entries(after).map(([k, v]) => [k, ((v - (before[k] ?? 0)) / turns).toFixed(3)]).filter(([, v]) => Number(v) > 0.003).join(' | '))
}
process.exit(0)
