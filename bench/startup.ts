// From the command to a service that is ready, and what it weighs while it waits.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from './compare.ts'
import { type Bench, fixed, megabytes, type Suite } from './suite.ts'

const launcher = join(import.meta.dirname, '../bin/atrium')
const deadlineMs = 30_000
/** How long a service idles before it is weighed. */
const idleMs = 1_000

export const startup: Suite = async (bench) => {
  const home = bench.children.folder()
  // The first start makes the home, the second finds the compile cache written.
  await startService(bench, home)
  await startService(bench, home)
  const bare: number[] = []
  const ready: number[] = []
  const weights: number[] = []
  for (let at = 0; at < bench.scale.starts; at++) {
    bare.push(await startBare(bench))
    const { readyMs, rssBytes } = await startService(bench, home)
    ready.push(readyMs)
    weights.push(rssBytes)
  }
  const rows = [
    ['node -e 0, to its end', fixed(median(bare), 0), fixed(Math.min(...bare), 0), '-'],
    ['atrium serve, to ready', fixed(median(ready), 0), fixed(Math.min(...ready), 0), megabytes(median(weights))],
  ]
  return [{ title: 'Start-up, compile cache warm', columns: ['', 'median ms', 'best ms', 'idle RSS MB'], rows }]
}

async function startBare({ children }: Bench): Promise<number> {
  const start = performance.now()
  const child = children.spawn(process.execPath, ['-e', '0'], {})
  await new Promise((resolve) => child.once('exit', resolve))
  return performance.now() - start
}

async function startService({ children }: Bench, home: string): Promise<{ readyMs: number; rssBytes: number }> {
  const start = performance.now()
  const child = children.spawn(launcher, ['serve'], { HOME: home, ATRIUM_HOME: home, GATEWAY_PORT: '0' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('atrium serve was not ready in time')), deadlineMs)
    child.once('exit', () => reject(new Error('atrium serve ended by itself')))
    let said = ''
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString()
      if (!said.includes('is ready')) return
      clearTimeout(late)
      resolve()
    })
  })
  const readyMs = performance.now() - start
  await pause(idleMs)
  const rssBytes = rssOf(child.pid ?? 0)
  child.kill('SIGTERM')
  await ended
  return { readyMs, rssBytes }
}

/** Known on Linux only. */
function rssOf(pid: number): number {
  try {
    return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
  } catch {
    return Number.NaN
  }
}
