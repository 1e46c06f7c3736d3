// Opens the transport of a server for one start.
import { AppError } from '#core/errors.ts'
import type { McpTarget } from '#core/mcp.ts'
import type { Log } from '#lib/log.ts'
import type { StreamDial } from '#net/dial.ts'
import { warnSparingly } from '#lib/log.ts'
import { tokenSecret } from './auth.ts'
import type { OpenedTransport } from './connect-client.ts'
import type { ExactArguments } from './exact-arguments.ts'
import { type Bearer, createHttpTransport, SignInNeeded } from './http.ts'
import { newMark } from './process-mark.ts'
import { createStdioTransport, type ExitGuard } from './stdio.ts'
import { readValues, type ValueSources } from './values.ts'

/** Variables that every stdio server gets. */
const commonVariables = ['PATH', 'HOME', 'LANG']

export type TransportParts = ValueSources & {
  /** The mark that all servers of this home share. */
  readonly homeMark: string
  /** Is awaited before a process starts. */
  readonly beforeStart?: () => Promise<void>
  readonly guard: ExitGuard
  /** Masks secrets in what a server writes to standard error, and in its errors. */
  readonly mask: (text: string) => string
  readonly log: Log
  readonly dial: StreamDial
  /** The sign-in to a server over HTTP. */
  readonly bearerFor?: (server: { readonly name: string; readonly url: string }) => Bearer
  readonly goodbyeMs?: number
}

export type OpenTransport = (
  server: { readonly name: string; readonly target: McpTarget },
  exact: ExactArguments,
) => Promise<OpenedTransport>

export function createOpenTransport(parts: TransportParts): OpenTransport {
  const { environment, homeMark, mask, log, guard } = parts
  return async ({ name, target }, exact) => {
    if (target.kind === 'http') return openHttp(parts, name, target, exact)
    await parts.beforeStart?.()
    const common = commonVariables.flatMap((each) => {
      const value = environment(each)
      return value === undefined ? [] : [[each, value] as const]
    })
    const warn = warnSparingly(log)
    let lastLine: string | undefined
    let lastError: string | undefined
    const transport = createStdioTransport({
      command: target.command,
      args: target.args,
      env: { ...Object.fromEntries(common), ...(await readValues(target.env, parts)) },
      cwd: environment('HOME') ?? '/',
      mark: await newMark(homeMark),
      guard,
      exact,
      mask,
      onErrorLine(line) {
        if (/^\w*Error\b/.test(line)) lastError = line
        // Node ends its report of an uncaught error with its version.
        lastLine = /^Node\.js v\d/.test(line) ? (lastError ?? line) : line
        log.info({ server: name, line }, 'an MCP server wrote to standard error')
      },
      onGarbage: (what) => warn({ server: name }, `an MCP server sent ${what} on standard output`),
      onFault: (error) => log.error({ server: name, err: error }, 'a message of an MCP server could not be handled'),
    })
    const lastWords = (): string => (lastLine === undefined ? '' : `; its last line was: ${lastLine}`)
    const fault = (): string | undefined => {
      const ended = transport.ended()
      return ended === undefined ? undefined : ended + lastWords()
    }
    return { transport, fault, lastWords, mask }
  }
}

type HttpTarget = McpTarget & { kind: 'http' }

async function openHttp(
  parts: TransportParts,
  name: string,
  { url, headers }: HttpTarget,
  exact: ExactArguments,
): Promise<OpenedTransport> {
  const values = await readValues(headers, parts)
  const transport = await createHttpTransport({
    url,
    headers: values,
    dial: parts.dial,
    exact,
    bearer: parts.bearerFor?.({ name, url }),
    goodbyeMs: parts.goodbyeMs,
  })
  const command = `atrium mcp auth ${name}`
  const signInFault = (error: unknown): AppError | undefined => {
    if (!(error instanceof SignInNeeded)) return undefined
    const message = `the MCP server ${name} needs a sign-in (401): run \`${command}\` and try again`
    return new AppError('credential_missing', message, {
      credential: { tool: name, secret: tokenSecret, title: name, command, of: 'mcp' },
    })
  }
  return { transport, fault: () => undefined, mask: parts.mask, signInFault }
}
