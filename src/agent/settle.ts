// Closing calls: running tools, refusing what may not run, raising gates.
import { AppError } from '#core/errors.ts'
import { newId } from '#core/ids.ts'
import type { Call, Draft, Gate, Result } from '#core/item.ts'
import type { CallQuestion, Preview, Question } from '#core/question.ts'
import { effectsOf, reachInParams, reachOf, type SentRequest, type ToolContext, type CallUse } from '#core/tool.ts'
import { plainQuestion } from '#safety/asking.ts'
import type { Settlement } from './move.ts'
import type { Toolbox } from './toolbox.ts'

/** A result longer than this is cut; the model is told. */
const maxResultChars = 200_000
const maxOriginChars = 300
const maxPreviewChars = 30_000

/** True when settling only means telling somebody that they must decide. */
export function isGate({ how }: Settlement): boolean {
  return how === 'approval' || how === 'output'
}

type GateParts = Pick<RunParts, 'toolbox' | 'mask'> & { readonly context: Pick<ToolContext, 'user' | 'signal'> }

/** The gate a call waits at, or the result of one that its tool could not do: nobody is asked for that. */
export async function gateDraft(
  { call, how, word: reason, why, taint }: Settlement,
  { toolbox, context, mask = (text) => text }: GateParts,
): Promise<Draft> {
  if (how === 'output') return gateOf(call, { kind: 'output', prompt: `Run ${call.name} and send its output.` })
  try {
    const tool = toolbox.find(call.name)
    const asked = (await tool?.ask?.(call.args, context)) ?? { question: plainQuestion(call.name) }
    const reach = tool ? reachOf(tool, call.args) : reachInParams(call.args)
    return gateOf(call, {
      kind: 'approval',
      prompt: `Run \`${call.name}\`?`,
      ...(reason && { reason }),
      ...(why && { why }),
      ...(taint !== undefined && { taint }),
      asks: { ...masked(asked, mask), ...(reach && { reach }) },
      ...(tool?.secrets && { secrets: tool.secrets }),
    })
  } catch (error) {
    context.signal.throwIfAborted()
    const output = capped(mask(error instanceof Error ? error.message : String(error)))
    const origin = toolbox.find(call.name)?.untrusted ? { origin: call.name } : {}
    return resultDraft({ type: 'result', callId: call.callId, output, error: true, ...origin })
  }
}

/** What is asked, without secrets; a long text in it is cut, and says so. */
function masked(asked: CallQuestion, mask: (text: string) => string): CallQuestion {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return capped(mask(value), maxPreviewChars)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]))
  }
  const { question, preview } = asked
  return {
    question: clean(question) as Question,
    ...(preview && { preview: { ...(clean(preview) as Preview), type: preview.type } as Preview }),
  }
}

function gateOf(
  { callId, name, args }: Call,
  { kind, ...rest }: Omit<Gate, 'type' | 'callId' | 'name' | 'args'>,
): Draft {
  return { id: newId(), item: { type: 'gate', callId, kind, name, args, ...rest } }
}

/** Recorded before the tools run. */
export function attemptDraft({ call }: Settlement): Draft {
  return { id: newId(), item: { type: 'attempt', callId: call.callId } }
}

/** The result of a call that will not run. */
export function refusal({ call, how, word, leak }: Settlement): Draft {
  const name = call.name
  const output = {
    denied: `the user did not allow ${name}${word ? `: ${word}` : ''}`,
    expired: `${name} was not run: its approval expired${word ? `, ${word}` : ''}`,
    forbidden: `${name} is not allowed here${word ? `: ${word}` : ''}`,
    interrupted: `interrupted: ${name} was running when the service stopped; it may or may not have taken effect`,
    unknown: `there is no tool named ${name}`,
    invalid: `the arguments of ${name} were not a JSON object; call it again with valid JSON`,
  }[how as 'denied' | 'expired' | 'forbidden' | 'interrupted' | 'unknown' | 'invalid']
  return resultDraft({ type: 'result', callId: call.callId, output, error: true, ...(leak && { leaks: [leak] }) })
}

type RunParts = {
  readonly toolbox: Toolbox
  readonly context: Omit<ToolContext, 'callId'>
  /** Takes secrets out of what is stored and shown. */
  readonly mask?: (text: string) => string
}

/** Runs a tool to its result. A failure is a result too, a missing credential is a gate; only an abort throws. */
export async function runCall(
  { call, taint }: Settlement,
  { toolbox, context, mask = (text) => text }: RunParts,
): Promise<Draft> {
  const tool = toolbox.find(call.name)
  if (!tool) return refusal({ call, how: 'unknown' })
  let origin = tool.untrusted ? call.name : undefined
  const markUntrusted = (from: string = call.name): void => {
    origin = from.slice(0, maxOriginChars)
  }
  const sent: SentRequest[] = []
  const secrets = new Set<string>()
  const leaks = new Set<string>()
  const reportUse = (use: CallUse): void => {
    sent.push(...(use.sent ?? []))
    for (const secret of use.secrets ?? []) secrets.add(secret)
    for (const leak of use.leaks ?? []) leaks.add(leak)
  }
  const whence = () => ({
    ...(origin && { origin }),
    effects: effectsOf(tool, call.args),
    ...(sent.length > 0 && { hosts: [...new Set(sent.map(({ host }) => host))], sent: timesOf(sent) }),
    ...(secrets.size > 0 && { secrets: [...secrets] }),
    ...(leaks.size > 0 && { leaks: [...leaks] }),
  })
  try {
    const running = tool.run(call.args, {
      ...context,
      callId: call.callId,
      tainted: taint !== undefined,
      markUntrusted,
      reportUse,
    })
    const output = await orAbort(running, context.signal)
    return resultDraft({ type: 'result', callId: call.callId, output: capped(mask(output)), ...whence() })
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof AppError && error.code === 'credential_missing') {
      const { message: prompt, credential } = error
      return gateOf(call, { kind: 'credential', prompt, ...(credential && { credential }) })
    }
    const output = capped(mask(error instanceof Error ? error.message : String(error)))
    return resultDraft({ type: 'result', callId: call.callId, output, error: true, ...whence() })
  }
}

/** Each kind of request once, with how often it went out. */
function timesOf(sent: readonly SentRequest[]): NonNullable<Result['sent']> {
  const times = new Map<string, SentRequest & { times: number }>()
  for (const { method, host } of sent) {
    const key = `${method} ${host}`
    times.set(key, { method, host, times: (times.get(key)?.times ?? 0) + 1 })
  }
  return [...times.values()]
}

/** Yields results as they come, so that each is stored as soon as it is known. */
export async function* inOrderOfArrival<T>(runs: readonly Promise<T>[]): AsyncGenerator<T> {
  const waiting = new Map(runs.map((run, at) => [at, run.then((value) => ({ at, value }))]))
  while (waiting.size > 0) {
    const { at, value } = await Promise.race(waiting.values())
    waiting.delete(at)
    yield value
  }
}

function resultDraft(item: Result): Draft {
  return { id: newId(), item }
}

function capped(output: string, limit = maxResultChars): string {
  if (output.length <= limit) return output
  return `${output.slice(0, limit)}\n[cut: ${output.length - limit} more characters]`
}

/** A tool that does not listen to the signal must not hold the turn. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
