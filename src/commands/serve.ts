// `atrium serve`: the service without a terminal. Ends on SIGTERM or SIGINT, with open work given back.
import { flushCompileCache } from 'node:module'
import { type Flags, loadConfig, secretsIn } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { startService } from '#service.ts'
import { outliveOutput, paint, pasteable, reporting } from './report.ts'

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
