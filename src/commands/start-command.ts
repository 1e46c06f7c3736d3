// `atrium` without a command: on a terminal a chat with the doors open; elsewhere the same as `atrium serve`.
import { fstatSync } from 'node:fs'
import { type Flags, loadConfig } from '#config.ts'
import { reporting } from './report.ts'

export async function start(flags: Flags = {}): Promise<void> {
  await reporting(async () => {
    if (someoneIsThere() && loadConfig({}, flags).terminal) await (await import('./chat-command.ts')).chat(flags)
    else await (await import('./serve-command.ts')).serve(flags)
  })
}

/** True when a person reads the output and types or pipes the input. The input of a service is closed or empty. */
function someoneIsThere(): boolean {
  return process.stdout.isTTY && (process.stdin.isTTY || fstatSync(0).isFIFO())
}
