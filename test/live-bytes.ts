// Bytes of the heap that are still in use, for tests of what keeps memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The size of all objects that something still refers to. */
export function liveBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
