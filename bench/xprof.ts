import { createChildren } from './children.ts'
import { runLoad } from './load.ts'
import { loopLoad, startLoop } from './suite.ts'
const children = createChildren()
const { origin: model } = await children.start('mock-model.ts')
const bench = { children, model, scale: undefined as never }
const loop = await startLoop(bench)
await runLoad({ origin: loop.origin, ...loopLoad(16, 4000) })
const by = new Map<string, number[]>()
const names = [1, 16]
for (const [i, c] of names.entries()) {
  await loop.profile()
  const turns = 2000
  await runLoad({ origin: loop.origin, ...loopLoad(c, turns) })
  const p = JSON.parse(await loop.profiled())
  const nodes = new Map(p.nodes.map((n: any) => [n.id, n]))
  p.samples.forEach((id: number, at: number) => {
    const n: any = nodes.get(id)
    const k = n.callFrame.functionName + ' ' + n.callFrame.url.split('/').slice(-2).join('/') + ':' + n.callFrame.lineNumber
    const row = by.get(k) ?? [0, 0]
    row[i]! += p.timeDeltas[at] / turns
    by.set(k, row)
  })
}
const rows = [...by].sort((a, b) => (b[1][0]! - b[1][1]!) - (a[1][0]! - a[1][1]!))
for (const [k, [a, b]] of rows.slice(0, 45)) console.log(k.padEnd(60), a!.toFixed(1), b!.toFixed(1))
const idle = by.get('(idle) :-1')!
const sum = rows.reduce((s, [, r]) => [s[0]! + r[0]!, s[1]! + r[1]!], [0, 0])
console.log('busy', sum[0]! - idle[0]!, sum[1]! - idle[1]!)
process.exit(0)
