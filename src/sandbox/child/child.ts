// The process of one tool: reads its code, gives up its rights, then runs one call after another, each on a fresh
// instance. Speaks frames over standard input and output; ends when its parent is gone. Started by process.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFrameReader, sendFrame } from './frames.ts'
import { type Answer, type Ask, type Component, runGuest, type Work } from './guest.ts'
import { maxFrameBytes } from './limits.ts'
import { loadOnly, scrub } from './scrub.ts'

type Head = { readonly type: string; readonly id?: number } & Readonly<Record<string, unknown>>

await main(process.argv[2] ?? '', Number(process.argv[3] ?? '') || undefined)

async function main(folder: string, uid: number | undefined): Promise<void> {
  // Everything needed from the platform is taken now: afterwards it is gone.
  const { stdin } = process
  const exit: unknown = Reflect.get(process, 'reallyExit')
  const leave = (): unknown => (typeof exit === 'function' ? Reflect.apply(exit, process, [0]) : undefined)
  const cpu = process.cpuUsage.bind(process)
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  const ask: Ask = (head, body) => {
    const id = ++asked
    return new Promise<Answer>((resolve) => {
      waiting.set(id, resolve)
      sendFrame({ ...head, id }, body)
    })
  }
  const component = await loadComponent(folder, uid)
  stdin.on(
    'data',
    createFrameReader(maxFrameBytes, ({ head, body }) => {
      const { type, id = 0, ...rest } = head as Head
      if (type === 'answer') {
        waiting.get(id)?.({ ...rest, body } as unknown as Answer)
        waiting.delete(id)
      } else if (type === 'call') void answerCall(component, rest.work as Work)
    }),
  )
  stdin.on('end', leave)
  stdin.on('error', leave)
  sendFrame({ type: 'ready' })

  async function answerCall(target: Component, work: Work): Promise<void> {
    const { result, logs } = await runGuest(target, work, { ask, tell: (lines) => sendFrame({ type: 'logs', lines }) })
    const { user, system } = cpu()
    sendFrame({ type: 'done', result, logs, cpuMs: Math.round((user + system) / 1_000) })
  }
}

async function loadComponent(folder: string, uid: number | undefined): Promise<Component> {
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
  // The script comes in as text, so that no right to read is needed any more.
  const loaded = await loadOnly(source)
  const { instantiate } = loaded as Pick<Component, 'instantiate'>
  return { version: about.witVersion, tool: about.tool, source, modules, instantiate }
}
