// `atrium` alone: on a terminal a chat, with the doors beside it; elsewhere the same as `atrium serve`.
import { type Flags, loadConfig } from '#config.ts'
import { reporting } from './report.ts'

export async function start(flags: Flags = {}): Promise<void> {
  await reporting(async () => {
    const onTerminal = process.stdin.isTTY && process.stdout.isTTY
    if (onTerminal && loadConfig({}, flags).terminal) await (await import('./chat.ts')).chat(flags)
    else await (await import('./serve.ts')).serve(flags)
  })
}
