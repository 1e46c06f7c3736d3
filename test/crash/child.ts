// The small service in a process that kills itself at a named point. Usage: child.ts HOME POINT ACTION, where ACTION is
// `send` (take the messages first) or `resume` (only carry on).
import { writeSync } from 'node:fs'
import { work } from './small-service.ts'

const [home = '', dies = '', action] = process.argv.slice(2)

await work({
  home,
  dies,
  reached(point) {
    if (point !== dies) return
    process.kill(process.pid, 'SIGKILL')
    // The signal is on its way: do nothing more.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  },
  ...(action === 'send' && { acknowledged: (turnId: string) => void writeSync(1, `${turnId}\n`) }),
})
