// The measured side of a child process: tells what it has used so far when the benchmark asks, and ends with it. Also
// preloaded into `atrium serve` (node --import), which knows nothing of it.
import type { Session } from 'node:inspector/promises'

export type Used = { readonly cpuMs: number; readonly rssBytes: number }
/** What a child tells once it can be used; `threads` are those it was asked to fill. */
export type Ready = { readonly origin: string; readonly threads?: readonly (readonly string[])[] }

export type Ask = { readonly ask: 'use' | 'profile' | 'profiled' }
export type Told = { readonly ready: Ready } | { readonly used: Used } | { readonly profile: string }

let session: Session | undefined
process.on('message', (message: Ask) => {
  answer(message).then(tell, (error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
process.once('disconnect', () => process.exit())
// The listener above must not keep a service alive that has been told to stop.
process.channel?.unref()

/** Tells the benchmark that this child listens. */
export function reportReady(ready: Ready): void {
  tell({ ready })
}

function tell(told: Told): void {
  process.send?.(told)
}

async function answer({ ask }: Ask): Promise<Told> {
  if (ask === 'profile') {
    // Loaded when it is used: it has a weight of its own.
    const inspector = await import('node:inspector/promises')
    session = new inspector.Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
  } else if (ask === 'profiled' && session) {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return { profile: JSON.stringify(profile) }
  }
  const { user, system } = process.cpuUsage()
  return { used: { cpuMs: (user + system) / 1_000, rssBytes: process.memoryUsage.rss() } }
}
