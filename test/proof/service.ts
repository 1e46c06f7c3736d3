// The service under test as real processes: one over SQLite, or several over PostgreSQL.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, type Serving, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { copyHostileCode, installHostileComponent } from './hostile-component.ts'
import { addHostileServer, removeSecret, setSecret } from './hostile-server.ts'
import { startProxy } from './proxy.ts'
import type { Place } from './stored.ts'
import type { Dice, Site } from './world.ts'

export const webhookSecret = 'secret-of-the-webhook-under-proof'
export const operatorToken = 'operator-token-of-the-service-under-proof'

/** The configuration that is the same in every run. */
export const env = {
  SERVICE_REBORN_WEBUI_TOKEN: operatorToken,
  HTTP_WEBHOOK_SECRET: webhookSecret,
  HTTP_HOST: '127.0.0.1',
  CHAT_RATE_LIMIT: '0',
  WEBHOOK_RATE_LIMIT: '0',
  WRITE_RATE_LIMIT: '0',
  LOG_LEVEL: 'warn',
  // Prices, so that there is money to hold and to settle.
  LLM_PRICE: '10,20',
  SPEND_PER_DAY_USD: '100000',
  // A tool that never answers.
  MCP_TIMEOUT_SECS: '2',
}

const stopMs = 1_000
const fullMs = 1_000
const cutMs = 300

export type Service = Site & {
  readonly place: Place
  /** What can go wrong here, by name. Each resolves when it is over. */
  readonly faults: Readonly<Record<string, (dice: Dice) => Promise<void>>>
  /** All that the processes have printed. */
  output(): string
  close(): Promise<void>
}

type AloneParts = {
  /** Resolves when the next payment reaches the outside. */
  readonly effect: () => Promise<void>
  /** What is run in place of the bundle. */
  readonly program?: Program | undefined
}

/** One process over SQLite, in a home of its own. A killed one comes back at the same address. */
export async function startAlone(more: Record<string, string>, { effect, program }: AloneParts): Promise<Service> {
  await using opened = new AsyncDisposableStack()
  const home = newHome()
  opened.defer(home.remove)
  let output = ''
  let ports: Record<string, string> = {}
  const machine = { home: home.path, env: { ...env, ...more }, program }
  await addHostileServer(machine)
  const place = { path: join(home.path, 'atrium.db') }
  await installHostileComponent(place)
  await copyHostileCode(home.path)
  let secrets = 0
  const start = async (): Promise<Serving> => {
    const serving = await serve(home.path, { ...env, ...more, ...ports }, program)
    ports = { GATEWAY_PORT: new URL(serving.url).port, HTTP_PORT: new URL(webhookOf(serving)).port }
    return serving
  }
  let serving = await start()
  const end = async (): Promise<void> => {
    serving.signal('SIGKILL')
    await serving.ended
  }
  opened.defer(end)
  const { hostname, port } = new URL(serving.url)
  const proxy = await startProxy({ host: hostname, port: Number(port) })
  opened.defer(() => proxy.close())
  const addresses = { gateway: `http://127.0.0.1:${proxy.port}`, webhook: webhookOf(serving) }
  const kill = async (): Promise<void> => {
    await end()
    output += serving.output()
    serving = await start()
  }
  const closing = opened.move()
  return {
    place,
    gateway: () => addresses.gateway,
    webhook: () => addresses.webhook,
    faults: {
      'kill -9': kill,
      'kill -9 at a payment': () => effect().then(kill),
      'stopped for a while': async () => {
        serving.signal('SIGSTOP')
        await sleep(stopMs)
        serving.signal('SIGCONT')
      },
      // No file can grow, as on a full disk. Node ignores the signal that comes with it.
      'disk full': async () => {
        const { pid } = serving
        limitFiles(pid, '0')
        await sleep(fullMs)
        limitFiles(pid, 'unlimited')
      },
      'clients cut off': async () => {
        proxy.cut()
        await sleep(cutMs)
        proxy.mend()
      },
      'secret removed and set again': async () => {
        await removeSecret(machine)
        await setSecret(machine, ++secrets)
      },
    },
    output: () => output + serving.output(),
    close: () => closing.disposeAsync(),
  }
}

/** Bounds the size that a running process may give to a file. */
function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}

export function webhookOf(serving: Serving): string {
  return /webhook\s+(http:\S+)/.exec(serving.output())?.[1] ?? ''
}
