// A bare connection, for requests that no client library would send.
import { connect } from 'node:net'
import { patienceMs } from '../until.ts'

export type Bare = {
  write(text: string | Buffer): void
  /** All that came, once it holds a text. Rejects when the other side closes first. */
  until(text: string): Promise<string>
  /** All that came, once the other side has closed. */
  closed: Promise<string>
  end(): void
}

export function openBare(port: number): Bare {
  const socket = connect(port, '127.0.0.1')
  let seen = ''
  const waiting = new Set<() => void>()
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  socket.setEncoding('utf8')
  // A test that waits for what does not come fails by itself, with all that came.
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.on('data', (text: string) => {
    seen += text
    for (const look of waiting) look()
  })
  // A reset is an end too, for a test that looks at what came before it.
  socket.on('error', () => {})
  socket.on('close', () => resolve(seen))
  return {
    write: (text) => void socket.write(text),
    closed,
    end: () => socket.destroy(),
    until: (text) =>
      new Promise((found, lost) => {
        const look = (): void => {
          if (!seen.includes(text)) return
          waiting.delete(look)
          found(seen)
        }
        waiting.add(look)
        look()
        void closed.then(() => lost(new Error(`closed before ${text}: ${seen}`)))
      }),
  }
}
