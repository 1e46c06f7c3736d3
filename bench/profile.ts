// A CPU profile of the loop under load, and the functions with the most self time.
import { writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare } from './compare.ts'
import { fixed, loopLoad, startLoop, type Suite, warmUp } from './suite.ts'

const file = 'loop.cpuprofile'
const maxFunctions = 40
const inFlight = 16

type Node = {
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly hitCount?: number
}

export const profile: Suite = async (bench) => {
  const child = await startLoop(bench)
  const subject = { name: 'loop', child, load: () => loopLoad(inFlight, bench.scale.warmUp) }
  await warmUp([subject])
  await child.profile()
  await compare([subject], bench.scale.rounds)
  const text = await child.profiled()
  writeFileSync(file, text)
  const { nodes } = JSON.parse(text) as { nodes: readonly Node[] }
  return [
    {
      title: `Functions by self time (${resolve(file)})`,
      columns: ['function', 'share'],
      rows: shares(nodes, nameOf).slice(0, maxFunctions),
    },
    { title: 'Self time by origin of the code', columns: ['origin', 'share'], rows: shares(nodes, originOf) },
  ]
}

/** The share of the busy time for each name. */
function shares(nodes: readonly Node[], name: (node: Node) => string): string[][] {
  const busy = nodes.filter(({ callFrame }) => callFrame.functionName !== '(idle)')
  const total = busy.reduce((sum, { hitCount = 0 }) => sum + hitCount, 0)
  const hits = new Map<string, number>()
  for (const node of busy) hits.set(name(node), (hits.get(name(node)) ?? 0) + (node.hitCount ?? 0))
  return [...hits]
    .toSorted(([, a], [, b]) => b - a)
    .filter(([, count]) => count > 0)
    .map(([each, count]) => [each, `${fixed((100 * count) / total, 1)} %`])
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const path = url === '' ? '' : ` ${pathOf(url)}:${lineNumber + 1}`
  return `${functionName || '(anonymous)'}${path}`
}

function originOf({ callFrame: { functionName, url } }: Node): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native functions'
  if (url.startsWith('node:')) return 'node, JavaScript part'
  const path = pathOf(url)
  if (path.startsWith('node_modules/')) return path.split('/').slice(0, 2).join('/')
  return path
    .split('/')
    .slice(0, path.startsWith('src/') ? 2 : 1)
    .join('/')
}

function pathOf(url: string): string {
  return url.startsWith('file:') ? relative(resolve(import.meta.dirname, '..'), fileURLToPath(url)) : url
}
