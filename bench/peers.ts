// The same streamed turn through other agent libraries behind a minimal HTTP server, where a folder has them installed:
// `BENCH_PEERS=FOLDER`, after `npm install @openai/agents openai @mastra/core zod` in it. They store nothing, so floor (A) is
// theirs; Atrium stores every step.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLoad } from './responses.ts'
import { startDoor } from './service.ts'
import { floorLoad, type Suite } from './suite.ts'
import { againstFloors, type TurnServer } from './turns.ts'

const known = ['@openai/agents', '@mastra/core'] as const

export const peers: Suite = async (bench) => {
  const folder = process.env['BENCH_PEERS']
  const found = known.filter((name) => folder !== undefined && existsSync(join(folder, 'node_modules', name)))
  if (folder === undefined || found.length === 0) return []
  const servers = found.map(
    async (name): Promise<TurnServer> => ({
      name,
      child: await bench.children.start(import.meta.resolve('./peer-server.ts'), name, folder, bench.model),
      loadOf: floorLoad,
    }),
  )
  const atrium = { name: 'Responses API', child: await startDoor(bench), loadOf: createLoad }
  return againstFloors(bench, `beside ${found.join(' and ')}`, [atrium, ...(await Promise.all(servers))])
}
