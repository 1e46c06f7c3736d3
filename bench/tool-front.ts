// The tool sandbox in its own process, set up as in the service. It takes orders over HTTP and times them itself, so
// that the times contain only the calls. `node tool-front.ts FOLDER PROCESSES`. A stub answers the HTTP requests of
// tools, without a rate limit.
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { operator } from '#core/ids.ts'
import type { Json } from '#core/json.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { silentLog } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { prepareComponent } from '#sandbox/build/prepare.ts'
import { createSandbox, type LoadedTool } from '#sandbox/supervisor/sandbox.ts'
import { agentTools } from '#sandbox/component-tools.ts'
import { listen } from './measured.ts'
import type { Package } from './tool-packages.ts'

export type Order =
  /** Checks and transpiles a component with an empty cache. */
  | { readonly do: 'transpile'; readonly component: string }
  | ({ readonly do: 'load' } & Package)
  /** Calls the tools in rotation. Each answer must contain `expects`: failures are quick and would look like speed. */
  | {
      readonly do: 'call'
      readonly names: readonly string[]
      readonly args: Json
      readonly expects: string
      readonly calls: number
      readonly inFlight: number
    }
  /** Stops all processes, so that the next call of a tool starts a new one. */
  | { readonly do: 'restart' }

/** The time of each call, the total, and the ids of the live processes by tool name. */
export type OrderResult = {
  readonly times: number[]
  readonly wallMs: number
  readonly live: Readonly<Record<string, number>>
}

const [folder = '', processes = ''] = process.argv.slice(2)
const tools = new Map<string, LoadedTool>()
const scan = createLeakScan()
const openSandbox = () =>
  createSandbox({
    cacheFolder: join(folder, 'cache'),
    maxProcesses: Number(processes),
    secret: () => Promise.resolve(undefined),
    scan: () => scan,
    limits: { take: () => Promise.resolve({ allowed: true, retryAfterMs: 0 }) },
    log: silentLog,
    now: Date.now,
    dial: stubDial(),
  })
let sandbox = openSandbox()

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    runOrder(JSON.parse(body) as Order).then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => {
        response.writeHead(500).end(String(error))
      },
    )
  })
})
listen(server)

async function runOrder(order: Order): Promise<OrderResult> {
  const start = performance.now()
  const times = await timesOf(order)
  const wallMs = performance.now() - start
  const names = new Map([...tools].map(([name, tool]) => [tool.folder, name]))
  const live = Object.fromEntries(sandbox.live().map(({ folder, pid }) => [names.get(folder) ?? '', pid ?? 0]))
  return { times, wallMs, live }
}

async function timesOf(order: Order): Promise<number[]> {
  switch (order.do) {
    case 'transpile': {
      const component = readFileSync(order.component)
      const cacheFolder = mkdtempSync(join(folder, 'fresh-'))
      return [await timed(() => prepareComponent(component, { cacheFolder }))]
    }
    case 'load': {
      const { name, capabilities } = order
      tools.set(name, await sandbox.load({ name, component: readFileSync(order.component), capabilities }))
      return []
    }
    case 'call':
      return callAll(order)
    case 'restart':
      await sandbox.close()
      sandbox = openSandbox()
      return []
    default:
      return order satisfies never
  }
}

async function callAll({ names, args, expects, calls, inFlight }: Order & { do: 'call' }): Promise<number[]> {
  const called = names.map((name) => {
    const installed = loaded(name)
    const [tool] = agentTools(installed, (call) => sandbox.execute(installed, call))
    if (!tool) throw new Error(`${name} has no tool`)
    return tool
  })
  const signal = AbortSignal.timeout(600_000)
  const times: number[] = []
  let next = 0
  async function lane(): Promise<void> {
    for (let at = next++; at < calls; at = next++) {
      const context: ToolContext = { user: operator, threadId: '', turnId: '', callId: String(at), signal }
      times.push(await timed(() => answerOf(called[at % called.length] as Tool, { args, context, expects })))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return times
}

async function answerOf(
  tool: Tool,
  { args, context, expects }: { args: Json; context: ToolContext; expects: string },
): Promise<void> {
  // A tool's own error about its parameters is an answer too.
  const answer = await tool.run(JSON.stringify(args), context).catch((error: unknown) => String(error))
  if (!answer.includes(expects)) throw new Error(`a call was answered ${answer.slice(0, 300)}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function loaded(name: string): LoadedTool {
  const tool = tools.get(name)
  if (!tool) throw new Error(`${name} is not loaded`)
  return tool
}

/** Minimal answers of the services that the weather tool calls. */
function stubDial(): Dial {
  const body = Buffer.from(
    JSON.stringify({
      results: [{ name: 'Lisbon', country: 'Portugal', latitude: 38.7, longitude: -9.1 }],
      current: {
        temperature_2m: 21.5,
        relative_humidity_2m: 60,
        apparent_temperature: 21,
        weather_code: 1,
        wind_speed_10m: 3.2,
      },
    }),
  )
  const headers = new Map([['content-type', 'application/json']])
  return () => Promise.resolve({ type: 'answer', status: 200, headers, body })
}
