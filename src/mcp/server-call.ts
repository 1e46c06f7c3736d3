// One call of a tool in a session with an MCP server.
import { AppError } from '#core/errors.ts'
import { isObject, objectIn } from '#core/json.ts'
import type { OfferedTool } from '#core/mcp.ts'
import type { CallProgress } from '#core/tool.ts'
import { inPace } from '#lib/pace.ts'
import { createCallDeadline } from './call-deadline.ts'
import type { Live } from './connect-client.ts'
import { isAnswer, pagesOf, wordsOf } from './connection-faults.ts'
import type { ExactArguments } from './exact-arguments.ts'
import { wholeOfShort } from './long-messages.ts'
import type { Elicit, Questions } from './questions.ts'
import { type CallOutput, readResult } from './result.ts'
import { SessionOver } from './session.ts'

/** With all the time that progress has renewed. */
const maxCallMs = 10 * 60_000
/** The package's own limit of a call is out of the way: it cannot wait for a person. */
const maxTimerMs = 2 ** 31 - 1

/** The answer of a server to a call. It may ask for input first, or for pages to be opened; the call is then made again. */
export type CallAnswer =
  | ({ readonly type: 'result' } & CallOutput)
  | { readonly type: 'input'; readonly requests: unknown; readonly state: unknown }
  | { readonly type: 'pages'; readonly pages: readonly unknown[] }

export type ServerCall = {
  readonly tool: OfferedTool
  /** The JSON text of an object. */
  readonly args: string
  readonly signal: AbortSignal
  /** Is called right before the call is sent, once the list has been read. Throws if the call must not be made. */
  readonly check?: () => void
  readonly onProgress?: (progress: CallProgress) => void
  /** Without it, nobody is asked. */
  readonly elicit?: Elicit
  /** Calls of one thread are of one person. */
  readonly threadId?: string
  /** Answers to what the server asked for, and the state that it wants back. */
  readonly input?: { readonly responses: unknown; readonly state: unknown }
}

export type CallParts = {
  readonly callMs: number
  readonly exact: ExactArguments
  readonly questions: Questions
  readonly refusal: (why: string, cause?: unknown) => AppError
  /** Is called when the server has told, by its answer, whether somebody must sign in. */
  readonly onSignIn: (needed: boolean) => void
  /** Is called when a person is asked: others may call meanwhile. */
  readonly onHold: () => void
}

/** Throws SessionOver when the server no longer knows the session. */
export async function sendCall({ client, opened }: Live, call: ServerCall, parts: CallParts): Promise<CallAnswer> {
  const { tool, signal, onProgress, input, elicit, threadId } = call
  const { callMs, exact, questions, refusal, onSignIn, onHold } = parts
  call.check?.()
  const deadline = createCallDeadline({ signal, callMs, maxMs: maxCallMs })
  const end = questions.add({ elicit, threadId, deadline, onHold })
  let answered = true
  const args = objectIn(call.args) ?? {}
  exact.set(args, call.args)
  try {
    const params = { name: tool.name, arguments: args }
    const answer: unknown = await client.callTool(
      { ...params, ...(input && { inputResponses: input.responses, requestState: input.state }) },
      {
        signal: deadline.signal,
        timeout: maxTimerMs,
        onprogress(progress) {
          deadline.renew()
          onProgress?.(progress as CallProgress)
        },
        allowInputRequired: true,
        toolDefinition: { name: tool.name, inputSchema: tool.schema as { type: 'object' } },
      },
    )
    const result = wholeOfShort(answer)
    onSignIn(false)
    if (isObject(result) && result['resultType'] === 'input_required')
      return { type: 'input', requests: result['inputRequests'], state: result['requestState'] }
    return { type: 'result', ...(await inPace(readResult(result))) }
  } catch (error) {
    const isOver = error instanceof SessionOver
    const needed = opened.signInFault?.(error)
    answered = needed !== undefined || isOver || isAnswer(error)
    // An error of the server itself: it accepted the token.
    if (answered) onSignIn(needed !== undefined)
    signal.throwIfAborted()
    if (error instanceof AppError || isOver) throw error
    if (needed) throw needed
    const pages = pagesOf(error)
    if (pages) return { type: 'pages', pages }
    throw refusal(deadline.isOver() ? timeoutWords(callMs) : wordsOf(error, opened), error)
  } finally {
    deadline.end()
    end(answered)
  }
}

function timeoutWords(callMs: number): string {
  return `it did not answer within ${Math.round(callMs / 1000)} seconds; the call may or may not have taken effect`
}
