// Runs one call of a guest inside the tool's process: a fresh instance, its imports, and its answer in one shape for both
// interface versions. All guest output is capped here, before it is sent.
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

/** A job from the service. */
export type Work =
  | {
      readonly kind: 'execute'
      readonly params: string
      readonly context?: string
      /** Names that the guest may ask about. */
      readonly secretNames: readonly string[]
      /** Those of `secretNames` that have a value. */
      readonly secretsSet: readonly string[]
    }
  | { readonly kind: 'describe' }

export type Result =
  | { readonly type: 'output'; readonly output: string }
  | { readonly type: 'error'; readonly error: string }
  | { readonly type: 'described'; readonly schema: string; readonly description: string }
  | { readonly type: 'fault'; readonly code: string; readonly message: string }

export type HostAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: string; readonly body: Uint8Array }
  | { readonly ok: true; readonly text?: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly sent: boolean }

/** Sends a request to the service and waits for its answer. */
export type AskHost = (head: Readonly<Record<string, unknown>>, body?: Uint8Array) => Promise<HostAnswer>

/** Sends log lines to the service, which keeps them even if this process dies before it answers. */
export type SendLogs = (lines: readonly LogLine[]) => void

/** The generated code of a component, loaded. */
export type Component = {
  readonly version: '0.3' | '0.4'
  readonly tool: string
  /** The generated script. It shows which error kinds the guest's interface has. */
  readonly source: string
  readonly modules: ReadonlyMap<string, WebAssembly.Module>
  readonly instantiate: (
    getCoreModule: (name: string) => WebAssembly.Module | undefined,
    imports: object,
    instantiateCore: (module: WebAssembly.Module, imports?: WebAssembly.Imports) => WebAssembly.Instance,
  ) => unknown
}

const noSecrets: Pick<Work & { kind: 'execute' }, 'secretNames' | 'secretsSet'> = { secretNames: [], secretsSet: [] }

/** Runs one job. Never throws: a failure is a result of type `fault`. `logs` are the lines that were not sent yet. */
export async function runGuest(
  component: Component,
  work: Work,
  { askHost, sendLogs }: { askHost: AskHost; sendLogs: SendLogs },
): Promise<{ result: Result; logs: readonly LogLine[] }> {
  // With asynchronous functions a guest can go on after its answer. The next call is not its own, so nobody hears it.
  let over = false
  const logs = createLogs((lines) => {
    if (!over) sendLogs(lines)
  })
  const askAfterLogs: AskHost = (head, body) => {
    if (over) return new Promise(() => {})
    logs.flush()
    return askHost(head, body)
  }
  try {
    const imports = { ...denyAllWasi(logs.add), 'near:agent/host': hostImports(component, work, askAfterLogs, logs) }
    const instance = await component.instantiate((name) => component.modules.get(name), imports, instantiateNow)
    const tool = read(instance, component.tool)
    const result = work.kind === 'describe' ? describe(tool) : await execute(tool, work)
    return { result, logs: logs.rest() }
  } catch (error) {
    return { result: trapOf(error), logs: logs.rest() }
  } finally {
    over = true
  }
}

function instantiateNow(module: WebAssembly.Module, imports?: WebAssembly.Imports): WebAssembly.Instance {
  return new WebAssembly.Instance(module, imports)
}

function describe(tool: unknown): Result {
  const schema = callMethod(tool, 'schema')
  const description = callMethod(tool, 'description')
  if (typeof schema !== 'string' || typeof description !== 'string') {
    return fault('response_invalid', 'schema and description of the tool are not texts')
  }
  if (Buffer.byteLength(schema) > maxSchemaBytes || Buffer.byteLength(description) > maxDescriptionBytes) {
    return fault('response_invalid', `the tool's schema or description is too long`)
  }
  return { type: 'described', schema, description }
}

async function execute(tool: unknown, work: Work & { kind: 'execute' }): Promise<Result> {
  const response: unknown = await callMethod(tool, 'execute', { params: work.params, context: work.context })
  const result = readResponse(response)
  const text = result.type === 'output' ? result.output : result.type === 'error' ? result.error : ''
  if (Buffer.byteLength(text) <= maxOutputBytes) return result
  return fault('output_too_large', `the tool answered more than ${maxOutputBytes} bytes`)
}

/** Reads an answer: a record of two options in version 0.3, a variant in version 0.4. */
function readResponse(response: unknown): Result {
  const output = read(response, 'output')
  const error = read(response, 'error')
  const tag = read(response, 'tag')
  const value = read(response, 'val')
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
  const [kind, code, message] = ['kind', 'code', 'message'].map((name) => read(value, name))
  const label = [kind, code].filter((part) => typeof part === 'string' && part !== '').join(' ')
  if (typeof message === 'string' && message !== '') return message
  return label === '' ? 'the tool failed without saying why' : `the tool failed: ${label}`
}

function hostImports(component: Component, work: Work, askHost: AskHost, logs: Logs): object {
  const { secretNames, secretsSet } = work.kind === 'execute' ? work : noSecrets
  let requests = 0
  let calls = 0
  const describing = work.kind === 'describe'
  return {
    log: (level: string, message: string) => logs.add(level, message),
    nowMillis: () => BigInt(Date.now()),
    secretExists(name: string) {
      if (secretNames.includes(name)) return secretsSet.includes(name)
      logs.add('warn', `secret-exists was asked for ${printableAscii(name)}, which the capability file does not list`)
      return false
    },
    async httpRequest(method: string, url: string, headers: string, body?: Uint8Array, timeoutMs?: number) {
      const refused = (code: string, message: string): never => {
        throw requestError(component, { code, message, sent: false })
      }
      if (describing) refused('blocked', 'no requests while the tool is being described')
      if (++requests > maxRequestsPerCall)
        refused('too_many_requests', `more than ${maxRequestsPerCall} requests in one call`)
      if ((body?.length ?? 0) > maxRequestBodyBytes)
        refused('request_too_large', `the body is over ${maxRequestBodyBytes} bytes`)
      if (method.length > 20 || url.length > 16_384 || headers.length > 65_536)
        refused('request_too_large', 'the request is too large')
      const answer = await askHost(
        { type: 'request', method, url, headers, timeoutMs: timeoutMs ?? null, hasBody: body !== undefined },
        body,
      )
      if (!answer.ok) throw requestError(component, answer)
      return 'status' in answer
        ? { status: answer.status, headersJson: answer.headers, body: answer.body }
        : refused('unreachable', 'no answer')
    },
    async workspaceRead(path: string) {
      if (describing || ++calls > maxHostCalls || path.length > 4_096) return undefined
      const answer = await askHost({ type: 'workspace', path })
      return answer.ok && 'text' in answer ? answer.text : undefined
    },
    async toolInvoke(alias: string, params: string) {
      if (describing || ++calls > maxHostCalls) throw thrown('too many invocations in one call')
      const answer = await askHost(
        { type: 'invoke', alias: alias.slice(0, 200) },
        Buffer.from(params).subarray(0, maxOutputBytes),
      )
      if (!answer.ok) throw thrown(answer.message)
      return 'text' in answer ? (answer.text ?? '') : ''
    },
  }
}

/** The error of a WIT result: a text in version 0.3, in 0.4 a record whose `kind` is one that the guest declares. */
function requestError(
  component: Component,
  { code, message, sent }: { code: string; message: string; sent: boolean },
): unknown {
  if (component.version === '0.3') return thrown(message)
  const preferred = {
    blocked: ['network-denied', 'policy-denied', 'denied'],
    secret_in_request: ['network-denied', 'policy-denied', 'denied'],
    credential_missing: ['auth-required', 'network-denied'],
    response_too_large: ['output-too-large', 'response-too-large'],
    timeout: ['timeout', 'operation-failed'],
    invalid_request: ['input', 'invalid-request'],
    request_too_large: ['input', 'invalid-request'],
  }[code] ?? ['operation-failed', 'network', 'transport']
  const kinds = [...preferred, 'operation-failed', 'network', 'transport', 'other', 'executor', 'client']
  const kind = kinds.find((each) => component.source.includes(`'${each}'`)) ?? kinds[0]
  return { kind, code, message, requestSent: sent }
}

/** A thrown text becomes the error of a WIT result. `unknown`, because lint rules refuse to throw a string. */
function thrown(message: string): unknown {
  return message
}

type Logs = {
  readonly add: (level: string, message: string) => void
  readonly flush: () => void
  readonly rest: () => readonly LogLine[]
}

function createLogs(sendLogs: SendLogs): Logs {
  let unsent: LogLine[] = []
  let lines = 0
  let dropped = 0
  let frames = 0
  let sentAt = Date.now()
  const flush = (): void => {
    if (unsent.length === 0 || frames >= maxLogFrames) return
    frames++
    sendLogs(unsent)
    unsent = []
    sentAt = Date.now()
  }
  return {
    flush,
    add(level, message) {
      if (lines >= maxLogLines) {
        dropped++
        return
      }
      const cut = Buffer.from(message.slice(0, maxLogLineBytes)).subarray(0, maxLogLineBytes).toString('utf8')
      // The last line stays unsent: `rest` replaces it with the number of dropped lines.
      if (++lines === maxLogLines) flush()
      unsent.push({ level, message: cut })
      if (lines <= eagerLogLines || (lines < maxLogLines && Date.now() - sentAt >= logBatchMs)) flush()
    },
    rest: () =>
      dropped === 0
        ? unsent
        : [...unsent.slice(0, -1), { level: 'warn', message: `${dropped + 1} more lines were dropped` }],
  }
}

function trapOf(error: unknown): Result {
  const message = error instanceof Error ? error.message : 'it threw a value'
  // An allocation refused by the system: the process reached its `ulimit`.
  if (error instanceof RangeError && /allocat/i.test(message)) {
    return fault('memory_limit', 'the tool used more memory than it may')
  }
  return fault('trap', `the tool broke off: ${printableAscii(message)}`)
}

function fault(code: string, message: string): Result {
  return { type: 'fault', code, message }
}

function printableAscii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function callMethod(target: unknown, name: string, ...args: unknown[]): unknown {
  const method = read(target, name)
  if (typeof method !== 'function') throw new Error(`the tool has no ${name}`)
  return Reflect.apply(method, target, args)
}
