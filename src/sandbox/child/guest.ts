// One call of a guest, inside its process: a fresh instance, its imports, its answer in one shape for both interface
// versions. Everything the guest can pile up is capped here, before it is sent.
import {
  eagerLogLines,
  logBatchMs,
  maxDescriptionBytes,
  maxHostCalls,
  maxLogFrames,
  maxLogLineBytes,
  maxLogLines,
  maxOutputBytes,
  maxRequestBodyBytes,
  maxRequestsPerCall,
  maxSchemaBytes,
} from './limits.ts'
import { denyAllWasi } from './wasi.ts'

export type LogLine = { readonly level: string; readonly message: string }

/** What the parent asks for. */
export type Work =
  | {
      readonly kind: 'execute'
      readonly params: string
      readonly context?: string
      /** Names the guest may ask about, and those of them that are set. */
      readonly secretNames: readonly string[]
      readonly secretsSet: readonly string[]
    }
  | { readonly kind: 'describe' }

export type Result =
  | { readonly type: 'output'; readonly output: string }
  | { readonly type: 'error'; readonly error: string }
  | { readonly type: 'described'; readonly schema: string; readonly description: string }
  | { readonly type: 'fault'; readonly code: string; readonly message: string }

export type Answer =
  | { readonly ok: true; readonly status: number; readonly headers: string; readonly body: Uint8Array }
  | { readonly ok: true; readonly text?: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly sent: boolean }

/** Asks the parent and waits. */
export type Ask = (head: Readonly<Record<string, unknown>>, body?: Uint8Array) => Promise<Answer>

/** Hands log lines to the parent, which keeps them if this process does not live to answer. */
export type Tell = (lines: readonly LogLine[]) => void

/** The generated code of a component, loaded. */
export type Component = {
  readonly version: '0.3' | '0.4'
  readonly tool: string
  /** The generated script, to see which error kinds the guest's interface knows. */
  readonly source: string
  readonly modules: ReadonlyMap<string, WebAssembly.Module>
  readonly instantiate: (
    getCoreModule: (name: string) => WebAssembly.Module | undefined,
    imports: object,
    instantiateCore: (module: WebAssembly.Module, imports?: WebAssembly.Imports) => WebAssembly.Instance,
  ) => unknown
}

const nothingSecret: { secretNames: readonly string[]; secretsSet: readonly string[] } = {
  secretNames: [],
  secretsSet: [],
}

/** Runs one piece of work. Never throws: what goes wrong is the result; `logs` are the lines not told yet. */
export async function runGuest(
  component: Component,
  work: Work,
  { ask, tell }: { ask: Ask; tell: Tell },
): Promise<{ result: Result; logs: readonly LogLine[] }> {
  const logs = createLogs(tell)
  const askAfterLogs: Ask = (head, body) => {
    logs.flush()
    return ask(head, body)
  }
  try {
    const imports = { ...denyAllWasi(logs.add), 'near:agent/host': hostImports(component, work, askAfterLogs, logs) }
    const instance = await component.instantiate((name) => component.modules.get(name), imports, instantiateNow)
    const tool = property(instance, component.tool)
    const result = work.kind === 'describe' ? describe(tool) : await execute(tool, work)
    return { result, logs: logs.rest() }
  } catch (error) {
    return { result: trapOf(error), logs: logs.rest() }
  }
}

function instantiateNow(module: WebAssembly.Module, imports?: WebAssembly.Imports): WebAssembly.Instance {
  return new WebAssembly.Instance(module, imports)
}

function describe(tool: unknown): Result {
  const schema = called(tool, 'schema')
  const description = called(tool, 'description')
  if (typeof schema !== 'string' || typeof description !== 'string') {
    return fault('response_invalid', 'schema and description of the tool are not texts')
  }
  if (Buffer.byteLength(schema) > maxSchemaBytes || Buffer.byteLength(description) > maxDescriptionBytes) {
    return fault('response_invalid', `the tool's schema or description is too long`)
  }
  return { type: 'described', schema, description }
}

async function execute(tool: unknown, work: Work & { kind: 'execute' }): Promise<Result> {
  const response: unknown = await called(tool, 'execute', { params: work.params, context: work.context })
  const result = adapt(response)
  const text = result.type === 'output' ? result.output : result.type === 'error' ? result.error : ''
  if (Buffer.byteLength(text) <= maxOutputBytes) return result
  return fault('output_too_large', `the tool answered more than ${maxOutputBytes} bytes`)
}

/** Version 0.3 answers a record of two options, version 0.4 a variant. */
function adapt(response: unknown): Result {
  const output = property(response, 'output')
  const error = property(response, 'error')
  const tag = property(response, 'tag')
  const value = property(response, 'val')
  if (tag === 'success' && typeof value === 'string') return { type: 'output', output: value }
  if (tag === 'failure') return { type: 'error', error: failureText(value) }
  if (tag !== undefined) return fault('response_invalid', 'the tool answered neither success nor failure')
  if (typeof output === 'string' && typeof error === 'string') {
    return fault('response_invalid', 'the tool set both output and error; exactly one is allowed')
  }
  if (typeof output === 'string') return { type: 'output', output }
  if (typeof error === 'string') return { type: 'error', error }
  return fault('response_invalid', 'the tool set neither output nor error; exactly one is needed')
}

function failureText(value: unknown): string {
  const [kind, code, message] = ['kind', 'code', 'message'].map((name) => property(value, name))
  const label = [kind, code].filter((part) => typeof part === 'string' && part !== '').join(' ')
  if (typeof message === 'string' && message !== '') return message
  return label === '' ? 'the tool failed without saying why' : `the tool failed: ${label}`
}

function hostImports(component: Component, work: Work, ask: Ask, logs: Logs): object {
  const { secretNames, secretsSet } = work.kind === 'execute' ? work : nothingSecret
  let requests = 0
  let calls = 0
  const idle = work.kind === 'describe'
  return {
    log: (level: string, message: string) => logs.add(level, message),
    nowMillis: () => BigInt(Date.now()),
    secretExists(name: string) {
      if (secretNames.includes(name)) return secretsSet.includes(name)
      logs.add('warn', `secret-exists was asked for ${shown(name)}, which the capability file does not list`)
      return false
    },
    async httpRequest(method: string, url: string, headers: string, body?: Uint8Array, timeoutMs?: number) {
      const refused = (code: string, message: string): never => {
        throw requestError(component, { code, message, sent: false })
      }
      if (idle) refused('blocked', 'no requests while the tool is being described')
      if (++requests > maxRequestsPerCall)
        refused('too_many_requests', `more than ${maxRequestsPerCall} requests in one call`)
      if ((body?.length ?? 0) > maxRequestBodyBytes)
        refused('request_too_large', `the body is over ${maxRequestBodyBytes} bytes`)
      if (method.length > 20 || url.length > 16_384 || headers.length > 65_536)
        refused('request_too_large', 'the request is too large')
      const answer = await ask(
        { type: 'request', method, url, headers, timeoutMs: timeoutMs ?? null, hasBody: body !== undefined },
        body,
      )
      if (!answer.ok) throw requestError(component, answer)
      return 'status' in answer
        ? { status: answer.status, headersJson: answer.headers, body: answer.body }
        : refused('unreachable', 'no answer')
    },
    async workspaceRead(path: string) {
      if (idle || ++calls > maxHostCalls || path.length > 4_096) return undefined
      const answer = await ask({ type: 'workspace', path })
      return answer.ok && 'text' in answer ? answer.text : undefined
    },
    async toolInvoke(alias: string, params: string) {
      if (idle || ++calls > maxHostCalls) throw thrown('too many invocations in one call')
      const answer = await ask(
        { type: 'invoke', alias: alias.slice(0, 200) },
        Buffer.from(params).subarray(0, maxOutputBytes),
      )
      if (!answer.ok) throw thrown(answer.message)
      return 'text' in answer ? (answer.text ?? '') : ''
    },
  }
}

/** A text thrown becomes the error of a WIT result; 0.4 wants a record, whose kind must be one the guest knows. */
function requestError(
  component: Component,
  { code, message, sent }: { code: string; message: string; sent: boolean },
): unknown {
  if (component.version === '0.3') return thrown(message)
  const wanted = {
    blocked: ['network-denied', 'policy-denied', 'denied'],
    secret_in_request: ['network-denied', 'policy-denied', 'denied'],
    credential_missing: ['auth-required', 'network-denied'],
    response_too_large: ['output-too-large', 'response-too-large'],
    timeout: ['timeout', 'operation-failed'],
    invalid_request: ['input', 'invalid-request'],
    request_too_large: ['input', 'invalid-request'],
  }[code] ?? ['operation-failed', 'network', 'transport']
  const known = [...wanted, 'operation-failed', 'network', 'transport', 'other', 'executor', 'client']
  const kind = known.find((each) => component.source.includes(`'${each}'`)) ?? known[0]
  return { kind, code, message, requestSent: sent }
}

function thrown(message: string): unknown {
  return message
}

type Logs = {
  readonly add: (level: string, message: string) => void
  readonly flush: () => void
  readonly rest: () => readonly LogLine[]
}

function createLogs(tell: Tell): Logs {
  let waiting: LogLine[] = []
  let kept = 0
  let dropped = 0
  let frames = 0
  let told = Date.now()
  const flush = (): void => {
    if (waiting.length === 0 || frames >= maxLogFrames) return
    frames++
    tell(waiting)
    waiting = []
    told = Date.now()
  }
  return {
    flush,
    add(level, message) {
      if (kept >= maxLogLines) {
        dropped++
        return
      }
      const cut = Buffer.from(message.slice(0, maxLogLineBytes)).subarray(0, maxLogLineBytes).toString('utf8')
      // Before the last line, which gives way to the count of what was dropped.
      if (++kept === maxLogLines) flush()
      waiting.push({ level, message: cut })
      if (kept <= eagerLogLines || (kept < maxLogLines && Date.now() - told >= logBatchMs)) flush()
    },
    rest: () =>
      dropped === 0
        ? waiting
        : [...waiting.slice(0, -1), { level: 'warn', message: `${dropped + 1} more lines were dropped` }],
  }
}

function trapOf(error: unknown): Result {
  const message = error instanceof Error ? error.message : 'it threw a value'
  // What the system refuses to give, which bounds the process from outside.
  if (error instanceof RangeError && /allocat/i.test(message)) {
    return fault('memory_limit', 'the tool used more memory than it may')
  }
  return fault('trap', `the tool broke off: ${shown(message)}`)
}

function fault(code: string, message: string): Result {
  return { type: 'fault', code, message }
}

function shown(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function called(target: unknown, name: string, ...args: unknown[]): unknown {
  const method = property(target, name)
  if (typeof method !== 'function') throw new Error(`the tool has no ${name}`)
  return Reflect.apply(method, target, args)
}
