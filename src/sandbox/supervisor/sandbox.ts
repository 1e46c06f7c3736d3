// The sandbox: checks tool packages, prepares their code, and runs their calls.
import { operator, type UserId } from '#core/ids.ts'
import { byteLength, isObject, type JsonObject } from '#core/json.ts'
import type { ProxySettings } from '#core/proxy.ts'
import type { LimitStore } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import { pace } from '#lib/pace.ts'
import { hasUnprintable } from '#safety/printable.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createMask } from '#safety/secret-values.ts'
import { type Capabilities, checkWitVersion, readCapabilities, schemaWarnings } from '#sandbox/package/capabilities.ts'
import { isTooDeep } from '#sandbox/package/checked.ts'
import { createDial, type Dial } from '#net/dial.ts'
import { createEgress, type Traffic } from '#sandbox/egress/egress.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'
import type { LogLine } from '#sandbox/child/guest.ts'
import type { ToolSecrets } from '#sandbox/auth/tool-secrets.ts'
import { createHost, type InvokeTool, type ReadWorkspace } from './host.ts'
import { type Prepared, prepareComponent, type PrepareParts } from '#sandbox/build/prepare.ts'
import { callDeadlineMs, maxParamsBytes } from '#sandbox/child/limits.ts'
import { createToolPool, type ToolPool } from './pool.ts'
import { credentialFault, describeFault, faultOf } from './result-fault.ts'
import type { Host } from './process.ts'
import { resolveName } from '#net/resolve.ts'
import { prepareRuntime } from '#sandbox/build/runtime.ts'
import { type Call, type InstalledTool, readOnlyCapabilities, schemaSizeFault } from '#sandbox/component-tools.ts'

const schemaNeeded = 'schema must return a JSON Schema such as {"type":"object"}'

/** A tool as it is stored: the component's bytes and the text of its capability file. */
export type ToolPackage = { readonly name: string; readonly component: Uint8Array; readonly capabilities: string }

export type SandboxParts = {
  /** A private folder for transpiled code. It may be deleted while the service is down. */
  readonly cacheFolder: string
  readonly maxProcesses: number
  /** The value of a tool's secret. Never a provider's key. */
  readonly secret: ToolSecrets['valueOf']
  /** Finds a user's secrets in outgoing requests, and masks them in the log. */
  readonly scan: (user: UserId) => LeakScan
  readonly limits: LimitStore
  readonly log: Log
  readonly now: () => number
  readonly proxy?: ProxySettings
  readonly readWorkspace?: ReadWorkspace
  readonly invokeTool?: InvokeTool
  /** Only tests set these. */
  readonly dial?: Dial
  readonly deadlineMs?: number
  readonly idleMs?: number
  /** Only tests set this: it transpiles without a process. */
  readonly transpile?: PrepareParts['transpile']
}

/** A checked package, ready to be stored and called. */
export type LoadedTool = InstalledTool & { readonly warnings: readonly string[] }

/** The report of one call, as `tool test` prints it. */
export type TestReport = {
  readonly output: string | null
  readonly error: string | null
  readonly code?: ToolFaultCode
  readonly logs: readonly LogLine[]
  readonly requests: Traffic['requests']
  readonly blocked: Traffic['blocked']
}

export interface Sandbox {
  /** Checks a package, transpiles it unless it is cached, and asks it for schema and description. */
  load(source: ToolPackage, signal?: AbortSignal): Promise<LoadedTool>
  /** The code of a component, from the cache or transpiled again. */
  prepare(component: Uint8Array): Promise<Prepared>
  /** Runs a call of the agent and returns its output. Throws a fault; with code tool_error its text is the tool's own. */
  execute(tool: InstalledTool, call: Call): Promise<string>
  /** Runs one call as the operator. A fault is part of the report. The parameters are not checked to be JSON. */
  testCall(tool: InstalledTool, call: { params: string; context?: string; signal?: AbortSignal }): Promise<TestReport>
  live: ToolPool['live']
  close(): Promise<void>
}

export function createSandbox(parts: SandboxParts): Sandbox {
  const dial = parts.dial ?? createDial({ lookup: resolveName, ...(parts.proxy && { proxy: parts.proxy }) })
  let pool: ToolPool | undefined
  // The child's code is written when a tool is first used.
  const processes = (): ToolPool => {
    pool ??= createToolPool({
      script: prepareRuntime(parts.cacheFolder),
      maxProcesses: parts.maxProcesses,
      ...(parts.idleMs !== undefined && { idleMs: parts.idleMs }),
    })
    return pool
  }
  const deadlineMs = parts.deadlineMs ?? callDeadlineMs

  const prepare = (component: Uint8Array, signal?: AbortSignal): Promise<Prepared> =>
    prepareComponent(component, {
      cacheFolder: parts.cacheFolder,
      ...(signal && { signal }),
      ...(parts.transpile && { transpile: parts.transpile }),
    })

  async function describe(
    { folder }: Prepared,
    signal?: AbortSignal,
  ): Promise<{ schema: JsonObject; description: string }> {
    const host: Host = () => Promise.resolve({ head: { ok: false, code: 'blocked', message: 'not now', sent: false } })
    const logs: LogLine[] = []
    const result = await processes().run(folder, {
      work: { kind: 'describe' },
      host,
      logs,
      deadlineMs,
      ...(signal && { signal }),
    })
    if (result.type !== 'described') throw describeFault(result, logs)
    return { schema: parseSchema(result.schema), description: result.description.trim() }
  }

  /** Runs one call. A fault is part of the report. */
  async function call(
    tool: InstalledTool,
    { params, context, user, callId, by, skills, serviceTools, signal, readOnly = false }: Call,
  ): Promise<CallReport> {
    const { name } = tool
    const capabilities = readOnly ? readOnlyCapabilities(tool.capabilities) : tool.capabilities
    const secret = (secretName: string, refused?: string): Promise<string | undefined> =>
      parts.secret(secretName, tool, user, refused)
    const { limits, now } = parts
    const scan = (): LeakScan => parts.scan(user)
    const egress = createEgress({ tool: name, capabilities, secret, scan, limits, now, dial })
    const host = createHost({
      capabilities,
      egress,
      by: { tool: name, user, callId, ...(skills && { skills }), ...(serviceTools && { serviceTools }) },
      readWorkspace: parts.readWorkspace,
      // A tool that another tool invoked invokes none itself: no chains, no cycles.
      invokeTool: by === undefined ? parts.invokeTool : undefined,
    })
    const logs: LogLine[] = []
    const outcome = await outcomeOf(async () => {
      const work = {
        kind: 'execute' as const,
        params: checkSize(params),
        ...(context !== undefined && { context }),
        secretNames: capabilities.secretNames,
        secretsSet: await namesWithValue(capabilities.secretNames, secret),
      }
      const job = { work, host, logs, deadlineMs, ...(signal && { signal }) }
      const result = await processes().run(tool.folder, job)
      const fault = credentialFault(tool, egress.traffic)
      if (fault) throw fault
      if (result.type === 'output') return result.output
      throw faultOf(result, name)
    })
    const mask = createMask([...egress.traffic.echoes])
    const masked: LogLine[] = []
    // A thousand long lines take half a second.
    for (const { level, message } of logs) {
      masked.push({ level, message: scan().mask(mask(message)) })
      await pace()
    }
    return { outcome, logs: masked, traffic: egress.traffic }
  }

  async function execute(tool: InstalledTool, request: Call): Promise<string> {
    const { user, callId, reportUse } = request
    checkJson(request.params)
    const { outcome, logs, traffic } = await call(tool, request)
    const { requests, secrets, leaks } = traffic
    const sent = requests.map(({ method, url }) => ({ method, host: new URL(url).host }))
    reportUse?.({ sent, secrets: [...secrets], leaks: [...leaks] })
    for (const { level, message } of logs) {
      const write = level === 'error' ? 'error' : level === 'warn' ? 'warn' : level === 'info' ? 'info' : 'debug'
      parts.log[write]({ tool: tool.name, callId }, message)
      await pace()
    }
    // A query may have text of the user or the model, which does not belong in the log.
    const withoutQuery = (url: string): string => parts.scan(user).mask(url.replace(/[?#].*$/, ''))
    for (const { method, url, reason } of traffic.blocked) {
      parts.log.warn(
        { tool: tool.name, callId, method, url: withoutQuery(url), reason },
        'a request of a tool was blocked',
      )
    }
    for (const { method, url, error: reason } of traffic.requests.filter(({ error }) => error !== undefined)) {
      parts.log.warn({ tool: tool.name, callId, method, url: withoutQuery(url), reason }, 'a request of a tool failed')
    }
    if (typeof outcome === 'string') return outcome
    throw outcome
  }

  return {
    async load({ name, component, capabilities: text }, signal) {
      const { capabilities, warnings } = readCapabilities(text)
      const prepared = await prepare(component, signal)
      checkWitVersion(capabilities, prepared.witVersion)
      const { schema, description } = await describe(prepared, signal)
      const tooLarge = schemaSizeFault(schema, capabilities.actions)
      if (tooLarge !== undefined) throw new ToolFault('schema_invalid', tooLarge)
      return {
        name,
        sha256: prepared.sha256,
        folder: prepared.folder,
        capabilities,
        schema,
        description,
        warnings: [
          ...warnings,
          ...schemaWarnings(schema),
          ...unseenWarnings(description, schema, text),
          ...capabilities.actions.flatMap(({ params }) => schemaWarnings(params)),
        ],
      }
    },
    prepare,
    execute,
    async testCall(tool, request) {
      const { outcome, logs, traffic } = await call(tool, { ...request, user: operator, callId: '' })
      const report = { logs, requests: traffic.requests, blocked: traffic.blocked }
      if (typeof outcome === 'string') return { output: outcome, error: null, ...report }
      return { output: null, error: outcome.message, code: outcome.code, ...report }
    },
    live: () => pool?.live() ?? [],
    close: () => pool?.close() ?? Promise.resolve(),
  }
}

type CallReport = {
  /** The output, or the fault. */
  readonly outcome: string | ToolFault
  readonly logs: readonly LogLine[]
  readonly traffic: Traffic
}

async function outcomeOf(run: () => Promise<string>): Promise<string | ToolFault> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ToolFault) return error
    throw error
  }
}

async function namesWithValue(
  names: Capabilities['secretNames'],
  secret: (name: string) => Promise<string | undefined>,
): Promise<string[]> {
  const values = await Promise.all(names.map(secret))
  return names.filter((_, at) => (values[at] ?? '') !== '')
}

/** Invisible characters could carry instructions to the model that a person does not see. */
function unseenWarnings(description: string, schema: JsonObject, capabilities: string): string[] {
  const file = JSON.stringify(JSON.parse(capabilities))
  return [description, JSON.stringify(schema), file].some(hasUnprintable)
    ? ['the description, the schema or the capability file has invisible characters']
    : []
}

function checkSize(params: string): string {
  if (byteLength(params) <= maxParamsBytes) return params
  throw new ToolFault('params_too_large', `the parameters are over ${maxParamsBytes} bytes`)
}

/** The host only checks that the model's parameters are JSON. The component checks the rest. */
function checkJson(params: string): void {
  try {
    JSON.parse(params)
  } catch (error) {
    throw new ToolFault('params_invalid', 'the parameters are not valid JSON', { cause: error })
  }
}

function parseSchema(text: string): JsonObject {
  try {
    const schema: unknown = JSON.parse(text)
    if (isObject(schema) && !isTooDeep(schema)) return schema as JsonObject
  } catch (error) {
    throw new ToolFault('schema_invalid', `the schema of the tool is not valid JSON: ${schemaNeeded}`, { cause: error })
  }
  throw new ToolFault(
    'schema_invalid',
    `the schema of the tool is not a JSON object, or nests too deep: ${schemaNeeded}`,
  )
}
