import { createChildren } from './children.ts'
import { runLoad } from './load.ts'
import { loopLoad, floorLoad, startFloor, startLoop } from './suite.ts'
import { execSync, spawn } from 'node:child_process'
const children = createChildren()
const { origin: model } = await children.start('mock-model.ts')
const bench = { children, model, scale: undefined as never }
const which = process.argv[2]
const child = which === 'B' ? await startFloor(bench, 'B') : await startLoop(bench)
const load = which === 'B' ? floorLoad : loopLoad
const pid = execSync(`pgrep -f bench/${which === 'B' ? 'floors' : 'front'}.ts; true`).toString().trim().split('\n')[0]!
await runLoad({ origin: child.origin, ...load(16, 3000) })
const tool = process.argv[3] === 'perf' ? spawn('perf', ['record', '-o', '/tmp/exp/perf.data', '-g', '-F', '2000', '-t', pid], { stdio: 'inherit' }) : spawn('strace', ['-c', '-p', pid], { stdio: 'inherit' })
await new Promise((r) => setTimeout(r, 500))
await runLoad({ origin: child.origin, ...load(Number(process.argv[4] ?? 1), 1000) })
tool.kill('SIGINT')
await new Promise((r) => tool.once('exit', r))
process.exit(0)
