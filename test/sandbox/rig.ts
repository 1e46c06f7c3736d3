// A sandbox for tests: the cache that test files share, a scripted wire, secrets from a map.
import type { LimitStore } from '#core/store.ts'
import { silentLog } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { loadGenerator } from '#sandbox/build/generator.ts'
import { transpileComponent } from '#sandbox/build/transpile.ts'
import { createSandbox, type LoadedTool, type Sandbox, type SandboxParts } from '#sandbox/supervisor/sandbox.ts'
import { sharedToolCache } from './tool-cache.ts'

export type Rig = {
  readonly sandbox: Sandbox
  readonly cacheFolder: string
  load(component: Uint8Array, capabilities?: object, name?: string): Promise<LoadedTool>
  close(): Promise<void>
}

export const noLimits: LimitStore = { take: () => Promise.resolve({ allowed: true, retryAfterMs: 0 }) }

/** Answers every request with 200 and the text `hello`. */
const helloDial: Dial = () =>
  Promise.resolve({ type: 'answer', status: 200, headers: new Map([['x-a', 'b']]), body: Buffer.from('hello') })

export const anyPlace = {
  version: '1.0.0',
  wit_version: '0.3.0',
  http: { allowlist: [{ host: 'a.example', path_prefix: '/', methods: ['GET', 'POST'] }] },
}

const scan = createLeakScan()

type RigParts = Partial<SandboxParts> & {
  readonly secrets?: Readonly<Record<string, string>>
  /** Components are transpiled in a process each, as the service does it. */
  readonly transpilesApart?: boolean
}

/** What the transpiling process does, in this one: that takes a tenth of the time. */
export const transpileHere = async (component: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> =>
  transpileComponent(component, await loadGenerator())

export function createRig({ secrets, transpilesApart = false, ...parts }: RigParts = {}): Rig {
  const cacheFolder = parts.cacheFolder ?? sharedToolCache()
  const sandbox = createSandbox({
    cacheFolder,
    maxProcesses: 2,
    secret: (name) => Promise.resolve(secrets?.[name]),
    scan: () => scan,
    limits: noLimits,
    log: silentLog,
    now: Date.now,
    dial: helloDial,
    ...(!transpilesApart && { transpile: transpileHere }),
    ...parts,
  })
  return {
    sandbox,
    cacheFolder,
    load: (component, capabilities = anyPlace, name = 'probe') =>
      sandbox.load({ name, component, capabilities: JSON.stringify(capabilities) }),
    close: () => sandbox.close(),
  }
}
