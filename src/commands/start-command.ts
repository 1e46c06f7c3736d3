// `atrium` alone: on a terminal a chat, with the doors beside it; elsewhere the same as `atrium serve`.
import { fstatSync } from 'node:fs'
import { type Flags, loadConfig } from '#config.ts'
import { reporting } from './report.ts'

export async function start(flags: Flags = {}): Promise<void> {
  await reporting(async () => {
    if (someoneIsThere() && loadConfig({}, flags).terminal) await (await import('./chat-command.ts')).chat(flags)
    else await (await import('./serve-command.ts')).serve(flags)
  })
}

/** A person reads what is printed and types, or has piped in what to say; a service's input is closed or empty. */
function someoneIsThere(): boolean {
  return process.stdout.isTTY && (process.stdin.isTTY || fstatSync(0).isFIFO())
}
