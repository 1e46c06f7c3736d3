// Administration of MCP servers: add, list, set, review, test, remove.
import type { ToolTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { objectIn } from '#core/json.ts'
import {
  type McpAdmin,
  type McpImport,
  type McpServer,
  type McpServerView,
  type McpStore,
  type McpTool,
  type McpToolView,
  statusOf,
} from '#core/mcp.ts'
import type { SecretStore } from '#core/secret.ts'
import type { CallProgress } from '#core/tool.ts'
import { maskedStart } from '#lib/masked-start.ts'
import { inPace, pace } from '#lib/pace.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { isUnguessable } from '#safety/leak-checks.ts'
import { type ImportedServer, readImport } from './import.ts'
import { checkServerName } from './names.ts'
import { changePin, differenceOf, mergeInSlices, reviewInSlices } from './pin.ts'
import type { ServerList } from './read-list.ts'
import type { Servers } from './servers.ts'
import { checkTarget } from './target.ts'

/** Reports of progress that a trial shows, the last ones. */
const maxLogs = 100
const maxLogChars = 2_000
const maxWaitMs = 11 * 60_000

/** Masks secrets: in a command line or a report, and in an output of any length, in slices. */
export type Masks = {
  readonly mask: (text: string) => string
  readonly maskLong: (text: string) => Promise<string>
}

/** Every tool also has a switch by the name that the model knows: off, it is offered to nobody. */
export type Switches = {
  readonly off: () => readonly string[]
  readonly switchOn: (name: string) => Promise<void>
}

export type AdminParts = Masks & {
  readonly servers: Servers
  readonly store: McpStore
  readonly secrets: Pick<SecretStore, 'list' | 'setTogether' | 'removeBelow'>
  readonly switches: Switches
}

export function createMcpAdmin({ servers, store, mask, maskLong, secrets, switches }: AdminParts): McpAdmin {
  const viewOf = async (server: McpServer): Promise<McpServerView> => {
    const { name, target, everyone, instructions } = server
    const address = mask(addressOf(server))
    const head = { name, kind: target.kind, address, everyone, ...servers.connection(name).status(), instructions }
    const off = new Set(switches.off())
    const tools: McpToolView[] = []
    for (const tool of server.tools) {
      tools.push(toolView(off.has(tool.as) ? { ...tool, effect: 'off' } : tool))
      await pace()
    }
    return { ...head, tools }
  }
  const stored = async (name: string): Promise<McpServer> => {
    await servers.reload()
    return servers.get(name)
  }
  /** Adds one server and seals its values, or does neither; undefined after an abort. */
  async function importServer(
    server: ImportedServer,
    signal: AbortSignal,
  ): Promise<McpImport['added'][number] | undefined> {
    const { name, was, target, seal, missing, notes } = server
    const values = Object.entries(seal).map(([secret, value]) => ({ name: secret, value }))
    await secrets.setTogether(values, operator)
    let isAdded = false
    try {
      const { list, fault } = await tryServer(servers, server, signal)
      signal.throwIfAborted()
      const tools = await inPace(mergeInSlices(name, [], list.tools))
      await store.add({ name, target, everyone: false, instructions: list.instructions, tools })
      isAdded = true
      const on = tools.filter((tool) => statusOf(tool) === 'on').length
      const given = withoutUndefined({ was, fault })
      return { name, ...given, tools: tools.length, on, sealed: Object.keys(seal), missing, notes }
    } catch (error) {
      if (!signal.aborted) throw error
      return undefined
    } finally {
      if (!isAdded) await secrets.removeBelow(`mcp.${name}.`)
    }
  }
  return {
    async list() {
      await servers.reload()
      return Promise.all(servers.all().map(viewOf))
    },
    async importServers(text, signal) {
      const taken = (await store.list()).map(({ name }) => name)
      const looksSecret = (value: string): boolean => mask(value) !== value || isUnguessable(value)
      const found = readImport(text, { taken, looksSecret })
      const known = new Set((await secrets.list()).map(({ name }) => name))
      const added: McpImport['added'][number][] = []
      const left: McpImport['left'][number][] = []
      for (const server of found.servers) {
        try {
          const one = await importServer(server, signal)
          if (!one) break
          added.push({ ...one, missing: one.missing.filter(({ secret }) => !known.has(secret)) })
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
          left.push({ name: server.was ?? server.name, why: error.message })
        }
      }
      await servers.reload()
      const stopped = found.servers
        .slice(added.length + left.length)
        .map(({ name, was = name }) => ({ name: was, why: 'the import was stopped' }))
      return { added, left: [...found.left, ...left, ...stopped] }
    },
    async add({ name, target, everyone }, signal) {
      checkServerName(name)
      checkTarget(name, target)
      if ((await store.list()).some((each) => each.name === name)) {
        throw new AppError(
          'invalid_input',
          `an MCP server named ${name} exists: remove it first, or choose another name`,
          {
            param: 'name',
          },
        )
      }
      const connection = servers.trial({ name, target })
      let needsSignIn = false
      try {
        const { tools: listed, instructions } = await connection.list(signal).catch(unlessSignIn)
        const tools = await inPace(mergeInSlices(name, [], listed))
        signal.throwIfAborted()
        needsSignIn = connection.status().status === 'sign_in'
        await store.add({ name, target, everyone, instructions, tools })
      } finally {
        await connection.stop()
      }
      await stored(name)
      // The connection that stays is asked as well: its status is what the list of servers tells.
      if (needsSignIn)
        await servers
          .connection(name)
          .list(signal)
          .catch(() => undefined)
      return viewOf(servers.get(name))
    },
    async setEffect(name, tool, effect) {
      const changed = await servers.change(name, ({ tools }) => {
        if (!tools.some((each) => each.name === tool)) {
          throw new AppError('not_found', `the MCP server ${name} has no tool named ${tool}`)
        }
        return { tools: tools.map((each) => (each.name === tool ? { ...each, effect } : each)) }
      })
      const as = changed.tools.find((each) => each.name === tool)?.as
      if (effect !== 'off' && as !== undefined) await switches.switchOn(as)
      return viewOf(changed)
    },
    async setEveryone(name, everyone) {
      return viewOf(await servers.change(name, () => ({ everyone })))
    },
    async review(name, what) {
      return viewOf(
        await servers.change(name, async ({ tools }) => ({ tools: await inPace(reviewInSlices(tools, what)) })),
      )
    },
    async check(name, signal) {
      await stored(name)
      await servers.connection(name).list(signal)
      return viewOf(servers.get(name))
    },
    async test(name, { tool, params }, signal) {
      await stored(name)
      return toolTrial(servers, { server: name, tool, params, mask, maskLong }, signal)
    },
    async remove(name) {
      const removed = await store.remove(name)
      // Those that an import sealed.
      if (removed) await secrets.removeBelow(`mcp.${name}.`)
      await servers.reload()
      return removed
    },
  }
}

/** Starts a server once. One that cannot be started has no tools. */
async function tryServer(
  servers: Servers,
  server: Pick<McpServer, 'name' | 'target'>,
  signal: AbortSignal,
): Promise<{ readonly list: ServerList; readonly fault?: string }> {
  const connection = servers.trial(server)
  try {
    return { list: await connection.list(signal) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    return { list: { tools: [], instructions: '' }, fault: error.message }
  } finally {
    await connection.stop()
  }
}

/** A server that needs a sign-in first is added without tools. */
function unlessSignIn(error: unknown): ServerList {
  if (error instanceof AppError && error.code === 'credential_missing') return { tools: [], instructions: '' }
  throw error
}

type TrialCall = Masks & {
  readonly server: string
  readonly tool: string
  readonly params: string
}

/** One call, as the operator, with the last things that happened. */
export async function toolTrial(
  servers: Servers,
  { server, tool, params, mask, maskLong }: TrialCall,
  signal: AbortSignal = AbortSignal.timeout(maxWaitMs),
): Promise<ToolTrial> {
  if (!objectIn(params))
    throw new AppError('invalid_input', `params of ${tool} must be a JSON object`, { param: 'params' })
  const connection = servers.connection(server)
  await connection.list(signal)
  const found = servers.tool(server, tool)
  if (found?.refused !== undefined) throw new AppError('tool_refused', `${tool} was not called: ${found.refused}`)
  if (!found?.pinned) throw new AppError('not_found', `the MCP server ${server} has no tool named ${tool}`)
  if (found.changed !== undefined) {
    throw new AppError('tool_refused', `${tool} has changed: look at it with \`atrium mcp review ${server}\``)
  }
  const logs: ToolTrial['logs'][number][] = []
  const note = (level: string, message: string): void => {
    logs.push({ level, message })
    if (logs.length > maxLogs) logs.shift()
  }
  const onProgress = ({ progress, total, message }: CallProgress): void => {
    const of = total === undefined ? '' : ` of ${total}`
    const words = message === undefined ? '' : `: ${maskedStart(message, maxLogChars, mask)}`
    note('progress', `${progress}${of}${words}`)
  }
  const elicit = (): Promise<Record<string, unknown>> => {
    note('input', 'the server asked a person for input: a test answers no')
    return Promise.resolve({ action: 'decline' })
  }
  const nothing = { logs, requests: [], blocked: [] }
  try {
    const answer = await connection.call({ tool: found.pinned, args: params, signal, onProgress, elicit })
    if (answer.type !== 'result') return { output: null, error: 'the server asks for input first', ...nothing }
    const text = await maskLong(answer.text)
    return answer.isError ? { output: null, error: text, ...nothing } : { output: text, error: null, ...nothing }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'credential_missing') throw error
    return { output: null, error: await maskLong(error.message), ...nothing }
  }
}

function toolView(tool: McpTool): McpToolView {
  const { name, as, effect, pinned, refused } = tool
  const difference = differenceOf(tool)
  const change = changePin(tool)
  return {
    name,
    as,
    description: pinned?.description ?? '',
    effect,
    status: statusOf(tool),
    schema: pinned?.schema ?? {},
    ...(pinned?.hints && { hints: pinned.hints }),
    ...withoutUndefined({ difference, change, refused }),
  }
}

function addressOf({ target }: McpServer): string {
  return target.kind === 'http' ? target.url : [target.command, ...target.args].map(quoted).join(' ')
}

/** A word of a command line as a shell would take it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
