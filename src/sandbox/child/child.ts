// Entry of a tool's process: reads the tool's code, drops its rights, then runs one call at a time, each on a fresh
// instance. Frames go over standard input and output. Exits when its parent is gone. Started by supervisor/process.ts.
import { join } from 'node:path'
import { createFrameReader, sendFrame } from './frames.ts'
import { type AskHost, type Component, type HostAnswer, runGuest, type SendLogs, type Work } from './guest.ts'
import { maxFrameBytes } from './limits.ts'
import { loadOnly, scrub } from './scrub.ts'

/** A message of the service, which is trusted. The body of an answer is the body of its frame. */
type ServiceMessage =
  | { readonly type: 'call'; readonly work: Work }
  | ({ readonly type: 'answer'; readonly id: number } & HostAnswer)

await main(process.argv[2] ?? '', Number(process.argv[3] ?? '') || undefined)

async function main(folder: string, uid: number | undefined): Promise<void> {
  // Everything needed from Node is taken now: `scrub` removes it.
  const self = process
  const { stdin } = self
  const reallyExit: unknown = Reflect.get(self, 'reallyExit')
  const exitNow = (): unknown => (typeof reallyExit === 'function' ? Reflect.apply(reallyExit, self, [0]) : undefined)
  const cpu = process.cpuUsage.bind(process)
  const waiting = new Map<number, (answer: HostAnswer) => void>()
  let lastId = 0
  const askHost: AskHost = (head, body) => {
    const id = ++lastId
    return new Promise<HostAnswer>((resolve) => {
      waiting.set(id, resolve)
      sendFrame({ ...head, id }, body)
    })
  }
  const sendLogs: SendLogs = (lines) => sendFrame({ type: 'logs', lines })
  const component = await loadComponent(folder, uid)
  stdin.on(
    'data',
    createFrameReader(maxFrameBytes, ({ head, body }) => {
      const message = head as ServiceMessage
      if (message.type === 'answer') {
        waiting.get(message.id)?.(Object.assign(message, { body }))
        waiting.delete(message.id)
      } else if (message.type === 'call') void answerCall(component, message.work)
    }),
  )
  stdin.on('end', exitNow)
  stdin.on('error', exitNow)
  sendFrame({ type: 'ready' })

  async function answerCall(target: Component, work: Work): Promise<void> {
    const { result, logs } = await runGuest(target, work, { askHost, sendLogs })
    const { user, system } = cpu()
    sendFrame({ type: 'done', result, logs, cpuMs: Math.round((user + system) / 1_000) })
  }
}

async function loadComponent(folder: string, uid: number | undefined): Promise<Component> {
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs')
  const source = readFileSync(join(folder, 'tool.js'), 'utf8')
  const about = JSON.parse(readFileSync(join(folder, 'about.json'), 'utf8')) as {
    tool: string
    witVersion: '0.3' | '0.4'
  }
  const code = readdirSync(folder)
    .filter((name) => name.endsWith('.wasm'))
    .map((name) => [name, readFileSync(join(folder, name))] as const)
  scrub(uid)
  const modules = new Map(code.map(([name, bytes]) => [name, new WebAssembly.Module(new Uint8Array(bytes))]))
  // The script is passed as text: `scrub` has dropped the right to read files.
  const { instantiate } = (await loadOnly(source)) as Pick<Component, 'instantiate'>
  return { version: about.witVersion, tool: about.tool, source, modules, instantiate }
}
