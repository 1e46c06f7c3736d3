// Startup time and idle memory of the service, from the bundle, with MCP servers that nobody uses, and from the
// sources, compared with a minimal Node server.
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { everything } from '../test/mcp/harness.ts'
import type { Children } from './children.ts'
import { median } from './compare.ts'
import { memoryOf } from './process.ts'
import { type Program, serve, serveSources, startService } from './service.ts'
import { fixed, megabytes, type Suite } from './suite.ts'

/** How long a service idles before its memory is measured. */
const idleMs = 1_000
/** The first start in a home sets things up, and gets this much time for it. */
const settleMs = 2_000

const bareServer = `
process.getBuiltinModule('node:http').createServer().listen(0, '127.0.0.1', () => console.log('is ready'))
process.once('SIGTERM', () => process.exit())`

type Start = { readonly readyMs: number; readonly cpuMs: number; readonly rssBytes: number }
type Subject = { readonly name: string; readonly program: Program; readonly home: string; readonly starts: Start[] }

export const startup: Suite = async ({ children, cache, scale }) => {
  const filled = await cache()
  const subject = (name: string, program: Program): Subject => ({ name, program, home: children.folder(), starts: [] })
  const floor = subject('bare node:http server', [process.execPath, '-e', bareServer])
  const withServers = subject('atrium serve, three MCP servers configured', serve)
  const subjects = [
    floor,
    subject('atrium serve', serve),
    withServers,
    subject('atrium serve, from its sources', serveSources),
  ]
  for (const name of ['first', 'second', 'third']) await addServer(children, withServers.home, name)
  for (const each of subjects) {
    cpSync(filled, join(each.home, 'cache'), { recursive: true })
    // The first start creates the home and the compile cache; the second adds code that the first had not loaded.
    await startOnce(children, each, settleMs)
    await startOnce(children, each, idleMs)
  }
  for (let round = 0; round < scale.starts; round++) {
    for (const each of subjects) each.starts.push(await startOnce(children, each, idleMs))
  }
  const columns = ['', 'ready ms', 'best ms', 'to floor', 'CPU ms', 'to floor', 'idle RSS MB', 'to floor']
  const rows = subjects.map(({ name, starts }) => {
    const of = (field: keyof Start): number => median(starts.map((start) => start[field]))
    const against = (field: keyof Start): string => `${fixed(ratioOf(starts, floor.starts, field), 2)} x`
    return [
      name,
      fixed(of('readyMs'), 0),
      fixed(Math.min(...starts.map(({ readyMs }) => readyMs)), 0),
      against('readyMs'),
      fixed(of('cpuMs'), 0),
      against('cpuMs'),
      megabytes(of('rssBytes')),
      against('rssBytes'),
    ]
  })
  const [, bundle] = subjects
  const fields = { ready: 'readyMs', CPU: 'cpuMs', memory: 'rssBytes' } as const
  const figures = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      `start: ${name}`,
      ratioOf(bundle?.starts ?? [], floor.starts, field),
    ]),
  )
  return [{ title: 'Start-up, compile cache warm; idle memory a second after', columns, rows, figures }]
}

/** The median of the ratios of the rounds. */
function ratioOf(starts: readonly Start[], floor: readonly Start[], field: keyof Start): number {
  return median(starts.map((start, round) => start[field] / (floor[round]?.[field] ?? Number.NaN)))
}

async function startOnce(children: Children, { program, home }: Subject, restMs: number): Promise<Start> {
  const env = {
    HOME: home,
    ATRIUM_HOME: home,
    GATEWAY_PORT: '0',
    // Overrides the launcher's own cache, so that all subjects start alike.
    NODE_COMPILE_CACHE: join(home, 'compiled'),
  }
  const service = await startService(children, env, program)
  await pause(restMs)
  const { rssBytes } = memoryOf(service.child.pid ?? 0)
  await service.stop()
  return { readyMs: service.readyMs, cpuMs: service.cpuMs, rssBytes }
}

async function addServer(children: Children, home: string, name: string): Promise<void> {
  const [file] = serve
  const command = ['mcp', 'add', name, '--', everything.command, ...everything.args]
  const child = children.spawn(file, command, { HOME: home, ATRIUM_HOME: home })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`atrium mcp add ended with ${code}`)
}
