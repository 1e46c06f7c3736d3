// `atrium` alone: on a terminal a chat, with the doors beside it; elsewhere the same as `atrium serve`.
import { loadConfig } from '#config.ts'
import { reporting } from './report.ts'

export async function start(): Promise<void> {
  await reporting(async () => {
    const onTerminal = process.stdin.isTTY && process.stdout.isTTY
    if (onTerminal && loadConfig().terminal) await (await import('./chat.ts')).chat()
    else await (await import('./serve.ts')).serve()
  })
}
