// `atrium serve`: the service without a terminal. Ends on SIGTERM or SIGINT, with open work given back.
import { flushCompileCache } from 'node:module'
import { type Flags, loadConfig, secretsIn } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { startService } from '#service.ts'
import { outliveOutput, paint, pasteable, reporting } from './report.ts'

/** How long after the start the room that loading took is given back, and what counts as idle until then. */
const tidyMs = 500
const idleShare = 0.25

/** Serves until a signal; a fault is told here, since it is not always the parser of arguments that called. */
export async function serve(flags: Flags = {}): Promise<void> {
  outliveOutput()
  await reporting(async () => {
    const config = loadConfig({}, flags)
    const service = await startService({
      configure: (settings) => loadConfig(settings, flags),
      log: openLog({ level: config.logLevel, secrets: secretsIn(config) }),
      terminal: false,
    })
    const lines = service.lines.map((line) => `  ${pasteable(line)}\n`).join('')
    process.stdout.write(`${paint('1', 'Atrium')} is ready\n${lines}`)
    // Node writes its cache at the end of a process; a service that is killed has none.
    setImmediate(flushCompileCache)
    tidyUp()
    const signal = await new Promise<string>((resolve) => {
      process.once('SIGTERM', resolve)
      process.once('SIGINT', resolve)
    })
    // A second signal ends at once: whoever is in a hurry may be.
    process.once('SIGINT', () => process.exit(130))
    process.stdout.write(`${signal}: finishing open work, up to 10 s\n`)
    await service.stop()
  })
}

/** V8 keeps the room that loading took, some 8 MB, until memory runs short. Once, while nobody waits, it is asked for it. */
function tidyUp(): void {
  const before = performance.eventLoopUtilization()
  const tidy = async (): Promise<void> => {
    if (performance.eventLoopUtilization(before).utilization > idleShare) return
    const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import('node:v8'), import('node:vm')])
    // For a moment only, and not by the launcher: under this flag the code that V8 has kept does not count.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as NodeJS.GCFunction
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
  setTimeout(() => void tidy(), tidyMs).unref()
}
