// Ports for servers that cannot be told to take any.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A port below those that a system gives to whoever asks for any: until the server has made its files and listens, one of
 * these would be somebody's.
 */
export async function freePort(): Promise<number> {
  for (let left = 100; ; left--) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
    if (left === 0) throw new Error('no free port was found')
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
