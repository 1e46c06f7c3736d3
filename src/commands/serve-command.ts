// `atrium serve`: the service without a terminal. Ends on SIGTERM or SIGINT, or when its terminal closes, and releases
// unfinished turns; and with an error when a newer Atrium has taken over the database.
import { flushCompileCache } from 'node:module'
import { type Flags, loadConfig, secretsIn } from '#config.ts'
import { durationWords } from '#core/words.ts'
import { openLog } from '#lib/log.ts'
import { shutdownGraceMs, startService } from '#service.ts'
import { collectWhenCalm } from './collect-when-calm.ts'
import { outliveOutput, paint, pasteable, reporting } from './report.ts'

/** Serves until a signal. Reports its own errors, because it is not always called by the argument parser. */
export async function serve(flags: Flags = {}): Promise<void> {
  outliveOutput()
  await reporting(async () => {
    const config = loadConfig({}, flags)
    const service = await startService({
      configure: (settings) => loadConfig(settings, flags),
      log: openLog({ level: config.logLevel, secrets: secretsIn(config) }),
      terminal: false,
    })
    const token = service.generatedToken
    const all = [...service.lines, ...(token === undefined ? [] : [`token    ${token}  (for this start only)`])]
    const lines = all.map((line) => `  ${pasteable(line)}\n`).join('')
    // Before the words that say it is ready: whoever reads them may send one at once.
    const signal = new Promise<string>((resolve) => {
      process.once('SIGTERM', resolve)
      process.once('SIGINT', resolve)
      // Without a terminal it comes from `nohup`, whose word Node does not keep, or from a rotation of logs.
      process.on('SIGHUP', (name) => process.stderr.isTTY && resolve(name))
      // From a rotation too: it would end the service at once.
      process.on('SIGUSR2', () => {})
    })
    process.stdout.write(`${paint('1', 'Atrium')} is ready\n${lines}`)
    // Node writes its compile cache at exit, which a killed service never reaches.
    setImmediate(flushCompileCache)
    collectWhenCalm(() => service.app.runner.running)
    const reason = await Promise.race([signal, service.app.outdated])
    // A second Ctrl+C exits at once.
    process.once('SIGINT', () => process.exit(0))
    if (typeof reason !== 'string') {
      await service.stop(0)
      throw reason
    }
    process.stdout.write(`${reason}: finishing open work, up to ${durationWords(shutdownGraceMs)}\n`)
    await service.stop()
  })
}
