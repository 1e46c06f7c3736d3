// Makes the MCP servers of a home from their parts.
import { realpathSync } from 'node:fs'
import { type Config, environmentVariable } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import { type McpServers, statusOf } from '#core/mcp.ts'
import type { SecretStore } from '#core/secret.ts'
import type { Store } from '#core/store.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Home } from '#home.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import { inPace } from '#lib/pace.ts'
import type { Seal } from '#lib/seal.ts'
import { readVersion } from '#lib/version.ts'
import { createMcpAdmin, type Masks, type Switches } from '#mcp/admin.ts'
import { bearerOf, createSignIns } from '#mcp/auth.ts'
import { createOpenTransport } from '#mcp/open-transport.ts'
import { mergeTools } from '#mcp/pin.ts'
import { endOrphans, homeMark } from '#mcp/process-mark.ts'
import { createServers } from '#mcp/servers.ts'
import { createMcpSource } from '#mcp/source.ts'
import { createExitGuard } from '#mcp/stdio.ts'
import { createResourceAccess } from '#oauth/resource-access.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { systemDial, systemStreamDial } from './lazy-dial.ts'
import { offIn } from './tool-admin.ts'

export type OpenMcpParts = {
  readonly home: Home
  readonly store: Pick<Store, 'mcp' | 'secrets'>
  readonly seal: Seal
  readonly config: Config
  readonly scan: (user: UserId) => LeakScan
  readonly log: Log
}

export type LoadMcpParts = OpenMcpParts & { readonly switches: Switches }

export type OpenedMcp = { readonly source: ToolSource; readonly admin: McpServers }

/** The search through all processes of the machine does not delay the start. A server that starts earlier waits for it. */
const sweepAfterMs = 1_000

/** The result of testing a server. */
export type ExaminedServer = {
  readonly name: string
  readonly tools: number
  /** How many of them the model is offered. */
  readonly on: number
  /** Tools that differ from what is pinned. */
  readonly changed: number
  readonly fault?: string
}

/** Starts each server once, and stores nothing. */
export async function examineServers(
  parts: OpenMcpParts & { readonly store: Pick<Store, 'settings'> },
  signal: AbortSignal,
): Promise<ExaminedServer[]> {
  const { servers } = createParts({ ...parts, store: { ...parts.store, secrets: withoutRenewal(parts.store.secrets) } })
  const all = await parts.store.mcp.list()
  const off = offIn(await parts.store.settings.all())
  return Promise.all(
    all.map(async (server) => {
      const connection = servers.trial(server)
      try {
        const { tools } = await connection.list(signal)
        const merged = mergeTools(server.name, server.tools, tools)
        const changed = merged.filter((tool) => tool.changed !== undefined).length
        const on = merged.filter((tool) => statusOf(tool) === 'on' && !off.includes(tool.as)).length
        return { name: server.name, tools: merged.length, on, changed }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { name: server.name, tools: 0, on: 0, changed: 0, fault: error.message }
      } finally {
        await connection.stop()
      }
    }),
  )
}

/** A new token would be lost: it cannot be stored here. */
function withoutRenewal(secrets: SecretStore): SecretStore {
  const words = 'its token has expired or is refused: the next call renews it, or says that it needs a sign-in'
  return { ...secrets, claimRenewal: () => Promise.reject(new AppError('tool_refused', words)) }
}

/** The servers of the home. Processes that a killed service left behind are ended before a server starts, or soon after. */
export function loadMcp(parts: LoadMcpParts): OpenedMcp {
  const { store, switches } = parts
  const { servers, access, sweep, masks } = createParts(parts)
  const source = createMcpSource(servers, masks)
  setTimeout(() => void sweep(), sweepAfterMs).unref()
  const admin = createMcpAdmin({ servers, store: store.mcp, ...masks, secrets: store.secrets, switches })
  return {
    source,
    admin: {
      ...admin,
      ...createSignIns(store.mcp, access),
      async remove(name) {
        const removed = await admin.remove(name)
        if (removed) await access.forget(name)
        return removed
      },
    },
  }
}

/** Ends, once, the servers of this home that a killed process left behind. */
function createSweep(mark: string, log: Log): () => Promise<void> {
  return loadOnce(async () => {
    const ended = await endOrphans(mark)
    if (ended > 0) log.warn({ processes: ended }, 'ended MCP servers that a killed process left behind')
  })
}

function createParts({ home, store, seal, config, scan, log }: OpenMcpParts) {
  const access = createResourceAccess({
    secrets: store.secrets,
    seal,
    dial: systemDial(config.proxy),
    privateHosts: config.privateHosts,
    now: Date.now,
    log,
    prefix: 'mcp',
  })
  const mark = homeMark(realpathSync(home.path))
  const sweep = createSweep(mark, log)
  const masks: Masks = {
    mask: (text) => scan(operator).mask(text),
    maskLong: (text) => inPace(scan(operator).maskInSlices(text)),
  }
  const servers = createServers({
    store: store.mcp,
    openTransport: createOpenTransport({
      secret: (name) => store.secrets.get(name),
      environment: environmentVariable,
      dial: systemStreamDial(config.proxy),
      bearerFor: (server) => bearerOf(access, server),
      homeMark: mark,
      beforeStart: sweep,
      guard: createExitGuard(),
      mask: masks.mask,
      log,
    }),
    callMs: config.mcp.callMs,
    idleMs: config.mcp.idleMs,
    version: readVersion(),
    log,
  })
  return { servers, access, masks, sweep }
}
