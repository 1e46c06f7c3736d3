// Settles open calls: runs tools, refuses calls, raises gates.
import { AppError, errorMessage } from '#core/errors.ts'
import type { Progress } from '#core/event.ts'
import type { InputAnswer, InputRequest } from '#core/form.ts'
import { newId } from '#core/ids.ts'
import type { Answer, Call, Draft, Gate, Result } from '#core/item.ts'
import type { CallQuestion, Preview, Question } from '#core/question.ts'
import type { LoadedSkill } from '#core/skill.ts'
import {
  type CallProgress,
  type CallUse,
  effectsOf,
  reachInParams,
  reachOf,
  type SentRequest,
  type ToolContext,
} from '#core/tool.ts'
import { orAborted } from '#lib/deadline.ts'
import { withoutNuls } from '#safety/printable.ts'
import { plainQuestion } from '#safety/gate-question.ts'
import type { Mask } from '#safety/secret-values.ts'
import type { Settlement } from './move.ts'
import { createProgress, type ProgressReports } from './progress.ts'
import type { Toolbox } from './toolbox.ts'

/** Longer results are truncated, with a note for the model. */
const maxResultChars = 200_000
const maxOriginChars = 300
const maxPreviewChars = 30_000

/** True when settling the call only raises a gate. */
export function isGate({ how }: Settlement): boolean {
  return how === 'approval' || how === 'output'
}

type GateParts = Pick<RunParts, 'toolbox' | 'mask'> & {
  readonly context: Pick<ToolContext, 'user' | 'signal' | 'serviceTools'>
}

/** The gate for a call. When the tool finds that the call cannot be done, an error result instead: nobody is asked. */
export async function gateDraft(
  { call, how, word: reason, why, taint }: Settlement,
  { toolbox, context, mask }: GateParts,
): Promise<Draft> {
  if (how === 'output') {
    const { serviceTools } = context
    const prompt = `Run ${call.name} and send its output.`
    return gateOf(call, { kind: 'output', prompt, ...(serviceTools && { serviceTools }) })
  }
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
      ...(tool?.asksEachTime && { once: true }),
      asks: { ...(await masked(asked, mask)), ...(reach && { reach }) },
      ...(tool?.secrets && { secrets: tool.secrets }),
    })
  } catch (error) {
    context.signal.throwIfAborted()
    const output = capped(await mask(errorMessage(error)))
    const origin = toolbox.find(call.name)?.untrusted ? { origin: call.name } : {}
    return resultDraft({ type: 'result', callId: call.callId, output, error: true, ...origin })
  }
}

type GateDraft = Draft & { readonly item: Gate }
type InputGate = { readonly request: InputRequest; readonly state?: string; readonly held?: true; readonly mask: Mask }

/** The gate of a call that needs input. Its texts come from outside, like a result. */
async function inputGate(call: Call, { request, state, held, mask }: InputGate): Promise<GateDraft> {
  const input = { ...request, message: await mask(request.message) }
  return gateOf(call, {
    kind: 'input',
    ...(held && { held }),
    prompt: `${request.server} asks ${request.type === 'form' ? 'for input' : `you to open a page at ${new URL(request.url).host}`}.`,
    input,
    ...(state !== undefined && { state }),
  })
}

/** A question and preview with secrets masked and long texts truncated. */
async function masked(asked: CallQuestion, mask: Mask): Promise<CallQuestion> {
  const clean = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return capped(await mask(value), maxPreviewChars)
    if (Array.isArray(value)) return Promise.all(value.map(clean))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(async ([name, each]) => [name, await clean(each)] as const)
    return Object.fromEntries(await Promise.all(fields))
  }
  const { question, preview } = asked
  return {
    question: (await clean(question)) as Question,
    ...(preview && { preview: { ...((await clean(preview)) as Preview), type: preview.type } as Preview }),
  }
}

function gateOf(
  { callId, name, args }: Call,
  { kind, held, ...rest }: Omit<Gate, 'type' | 'callId' | 'name' | 'args'>,
): GateDraft {
  // Keep this order: the store reads the call, the kind and whether it is held from the beginning of the JSON.
  return { id: newId(), item: { type: 'gate', callId, kind, ...(held && { held }), name, args, ...rest } }
}

/** Recorded before a tool runs. */
export function attemptDraft({ call }: Settlement): Draft {
  return { id: newId(), item: { type: 'attempt', callId: call.callId } }
}

/** The result of a call that will not run, after the end of its gate if that is still open. */
export function refusals(settlement: Settlement): Draft[] {
  const { call, closesGate } = settlement
  const output = 'the service stopped while it waited'
  const end: Answer = { type: 'answer', callId: call.callId, decision: 'deny', by: 'restart', output }
  return [...(closesGate ? [{ id: newId(), item: end }] : []), refusal(settlement)]
}

/** The result of a call that will not run. */
export function refusal({ call, how, word, leak }: Settlement): Draft {
  const name = call.name
  const output = {
    denied: `the user did not allow ${name}${word ? `: ${word}` : ''}`,
    expired: `${name} was not run: its approval expired${word ? `, ${word}` : ''}`,
    forbidden: `${name} is not allowed here${word ? `: ${word}` : ''}`,
    unanswered: `${name} was not done: it asked for input${word ? `, and ${word}` : ''}`,
    interrupted: `interrupted: ${name} was running when the service stopped; it may or may not have taken effect`,
    unknown: `there is no tool named ${name}`,
    invalid: `the arguments of ${name} were not a JSON object; call it again with valid JSON`,
  }[how as 'denied' | 'expired' | 'unanswered' | 'forbidden' | 'interrupted' | 'unknown' | 'invalid']
  return resultDraft({ type: 'result', callId: call.callId, output, error: true, ...(leak && { leaks: [leak] }) })
}

export type RunParts = {
  readonly toolbox: Toolbox
  readonly context: Omit<ToolContext, 'callId'>
  readonly mask: Mask
  readonly askInput: AskInput
  /** Tells watchers how far a call is. */
  readonly emitProgress: (progress: Progress) => void
  /** The model takes images. */
  readonly showsImages: boolean
}

/** Opens the gate of a call that stays open, and waits for its answer. */
export type AskInput = (gate: GateDraft) => Promise<InputAnswer>

/** Runs a tool. A failure becomes an error result, what it lacks a gate; only an abort throws. */
export async function runCall(
  { call, taint, input }: Settlement,
  { toolbox, context, mask, askInput, emitProgress, showsImages }: RunParts,
): Promise<Draft> {
  const tool = toolbox.find(call.name)
  if (!tool) return refusal({ call, how: 'unknown' })
  let origin = tool.untrusted ? call.name : undefined
  const markUntrusted = (from: string = call.name): void => {
    origin = from.slice(0, maxOriginChars)
  }
  const images: string[] = []
  const tools: string[] = []
  let skill: LoadedSkill | undefined
  const loadSkill = (loaded: LoadedSkill): void => {
    skill = loaded
  }
  let progress: ProgressReports | undefined
  const reportProgress = (report: CallProgress): void => {
    progress ??= createProgress({ turnId: context.turnId, callId: call.callId, mask, emit: emitProgress })
    progress.add(report)
  }
  const sent: SentRequest[] = []
  const secrets = new Set<string>()
  const leaks = new Set<string>()
  const reportUse = (use: CallUse): void => {
    sent.push(...(use.sent ?? []))
    for (const secret of use.secrets ?? []) secrets.add(secret)
    for (const leak of use.leaks ?? []) leaks.add(leak)
  }
  const facts = () => ({
    ...(origin && { origin }),
    effects: effectsOf(tool, call.args),
    ...(sent.length > 0 && { hosts: [...new Set(sent.map(({ host }) => host))], sent: countRequests(sent) }),
    ...(secrets.size > 0 && { secrets: [...secrets] }),
    ...(leaks.size > 0 && { leaks: [...leaks] }),
    ...(images.length > 0 && { images }),
    ...(tools.length > 0 && { tools }),
    ...(skill && { skill }),
  })
  try {
    const running = tool.run(call.args, {
      ...context,
      callId: call.callId,
      tainted: taint !== undefined,
      markUntrusted,
      loadSkill,
      addTools: (names) => void tools.push(...names),
      reportUse,
      reportProgress,
      ...(input && { input }),
      askInput: async (request) => askInput(await inputGate(call, { request, held: true, mask })),
      ...(showsImages && { showImages: (urls: readonly string[]) => void images.push(...urls) }),
    })
    // A tool that ignores the signal must not block the turn.
    const output = capped(await mask(withoutNuls(await orAborted(running, context.signal))))
    return resultDraft({ type: 'result', callId: call.callId, output, ...facts() })
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof AppError && error.code === 'credential_missing') {
      const { message: prompt, credential } = error
      return gateOf(call, { kind: 'credential', prompt, ...(credential && { credential }) })
    }
    if (error instanceof AppError && error.input) return inputGate(call, { ...error.input, mask })
    const output = capped(await mask(withoutNuls(errorMessage(error))))
    return resultDraft({ type: 'result', callId: call.callId, output, error: true, ...facts() })
  } finally {
    progress?.end()
  }
}

/** Requests grouped by method and host, with counts. */
function countRequests(sent: readonly SentRequest[]): NonNullable<Result['sent']> {
  const times = new Map<string, SentRequest & { times: number }>()
  for (const { method, host } of sent) {
    const key = `${method} ${host}`
    times.set(key, { method, host, times: (times.get(key)?.times ?? 0) + 1 })
  }
  return [...times.values()]
}

function resultDraft(item: Result): Draft {
  return { id: newId(), item }
}

function capped(output: string, limit = maxResultChars): string {
  if (output.length <= limit) return output
  return `${output.slice(0, limit)}\n[cut: ${output.length - limit} more characters]`
}
