// The measured side of a child process: reports its CPU time and memory when the benchmark asks, and exits with it. Also
// preloaded into `atrium serve` (node --import), which does not know about it.
import type { Session } from 'node:inspector/promises'
import type { AddressInfo, Server } from 'node:net'

export type Used = { readonly cpuMs: number; readonly rssBytes: number }
/** The message of a child that is ready. `threads` are the ids of those it was asked to fill. */
export type Ready = { readonly origin: string; readonly threads?: readonly (readonly string[])[] }

export type Question = { readonly ask: 'use' | 'profile' | 'profiled' }
export type Message = { readonly ready: Ready } | { readonly used: Used } | { readonly profile: string }

let session: Session | undefined
process.on('message', (message: Question) => {
  answer(message).then(send, (error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
process.once('disconnect', () => process.exit())
// The listener above must not keep a stopping service alive.
process.channel?.unref()

/** Tells the benchmark that this child is listening. */
export function reportReady(ready: Ready): void {
  send({ ready })
}

/** Listens at a free port, and tells the benchmark. A thousand streams may be opened at once. */
export function listen(server: Server, threads?: Ready['threads']): void {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    const { port } = server.address() as AddressInfo
    reportReady({ origin: `http://127.0.0.1:${port}`, ...(threads && { threads }) })
  })
}

function send(message: Message): void {
  process.send?.(message)
}

async function answer({ ask }: Question): Promise<Message> {
  if (ask === 'profile') {
    // Loaded on use, since it takes memory.
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
