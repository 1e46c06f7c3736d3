// `atrium serve` as a child process: started as anybody would start it, and timed until it says that it is ready.
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { type Child, type Children, asks } from './children.ts'

const launcher = join(import.meta.dirname, '../bin/atrium')
const deadlineMs = 30_000

export type Service = { readonly child: ChildProcess; readonly readyMs: number; stop(): Promise<void> }

export async function startService(children: Children, env: Readonly<Record<string, string>>): Promise<Service> {
  const start = performance.now()
  const child = children.spawn(launcher, ['serve'], { LOG_LEVEL: 'warn', ...env })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('atrium serve was not ready in time')), deadlineMs)
    child.once('exit', () => reject(new Error('atrium serve ended by itself')))
    let said = ''
    child.stdout?.on('data', (text: Buffer) => {
      if (said.length < 10_000) said += text.toString()
      if (!said.includes('is ready')) return
      clearTimeout(late)
      resolve()
    })
  })
  const readyMs = performance.now() - start
  return {
    child,
    readyMs,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A service that tells what it uses: `measured.ts` is loaded into it beside its own code. */
export async function startMeasured(
  children: Children,
  origin: string,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const preload = `--import=${import.meta.resolve('./measured.ts')}`
  const { child } = await startService(children, { ...env, NODE_OPTIONS: preload })
  return { origin, ...asks(child) }
}
