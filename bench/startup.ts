// From the command to a service that is ready, and what it weighs while it waits.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Children } from './children.ts'
import { median } from './compare.ts'
import { memoryOf } from './process.ts'
import { startService } from './service.ts'
import { fixed, megabytes, type Suite } from './suite.ts'

/** How long a service idles before it is weighed. */
const idleMs = 1_000
/** The first start on a home has things to set up; it is left in peace for so long. */
const settleMs = 2_000

export const startup: Suite = async ({ children, cache, scale }) => {
  const home = children.folder()
  cpSync(await cache(), join(home, 'cache'), { recursive: true })
  // The first start makes the home and writes the compile cache, the second writes what the first had not loaded.
  await startOnce(children, home, settleMs)
  await startOnce(children, home, idleMs)
  const bare: number[] = []
  const ready: number[] = []
  const weights: number[] = []
  for (let at = 0; at < scale.starts; at++) {
    bare.push(await startBare(children))
    const { readyMs, rssBytes } = await startOnce(children, home, idleMs)
    ready.push(readyMs)
    weights.push(rssBytes)
  }
  const rows = [
    ['node -e 0, to its end', fixed(median(bare), 0), fixed(Math.min(...bare), 0), '-'],
    ['atrium serve, to ready', fixed(median(ready), 0), fixed(Math.min(...ready), 0), megabytes(median(weights))],
  ]
  return [{ title: 'Start-up, compile cache warm', columns: ['', 'median ms', 'best ms', 'idle RSS MB'], rows }]
}

async function startBare(children: Children): Promise<number> {
  const start = performance.now()
  const child = children.spawn(process.execPath, ['-e', '0'], {})
  await new Promise((resolve) => child.once('exit', resolve))
  return performance.now() - start
}

async function startOnce(
  children: Children,
  home: string,
  restMs: number,
): Promise<{ readyMs: number; rssBytes: number }> {
  const service = await startService(children, { HOME: home, ATRIUM_HOME: home, GATEWAY_PORT: '0' })
  await pause(restMs)
  const { rssBytes } = memoryOf(service.child.pid ?? 0)
  await service.stop()
  return { readyMs: service.readyMs, rssBytes }
}
