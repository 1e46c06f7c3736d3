// The offline model: deterministic rules that let every door answer on a machine without a key and without a network.
import type { Item, Message } from '#core/item.ts'
import { textOf } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { expressionIn } from './offline-arithmetic.ts'
import { answerFor } from './offline-answer.ts'
import { chooseTool, topicOf } from './offline-choose.ts'
import { fillParameters } from './offline-fill.ts'
import { hear, messageText, wordsOf } from './offline-hear.ts'
import type { Heard } from './offline-hear.ts'
import { propertiesOf, requiredOf } from './offline-schema.ts'
import {
  CONNECT,
  isAsking,
  outputValue,
  sayHello,
  sayHelp,
  sayMissing,
  sayOutcomes,
  sayTorn,
  sayUnknown,
  sayWrites,
} from './offline-say.ts'
import type { Outcome } from './offline-say.ts'

/** What the model does next: words, or one call. */
export type Move =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: string }

const WINDOW = 100_000
const CHARS_PER_TOKEN = 4
/** A text goes out in at most this many batches. */
const BATCHES = 4
/** How many of its own questions the model remembers to have asked. */
const MAX_QUESTIONS = 3

/** `clock` gives "today" its date, and the time where no `time` tool is offered. */
export function createOfflineModel({ clock = Date.now }: { clock?: () => number } = {}): Model {
  return {
    provider: 'offline',
    name: 'offline',
    window: WINDOW,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const move = decideMove(request, clock())
      if (move.type === 'call') yield [{ type: 'call', name: move.name, args: move.args }]
      else
        for (const batch of inBatches(move.text)) {
          signal.throwIfAborted()
          yield batch
        }
      const written = move.type === 'call' ? move.name.length + move.args.length : move.text.length
      const read = request.items.reduce((sum, item) => sum + sizeOf(item), request.system.length)
      yield [{ type: 'done', usage: { ...noUsage, inputTokens: tokens(read), outputTokens: tokens(written) } }]
    },
  }
}

/** The whole of the model's judgement. Results that came since the last message end the turn: no call is made twice. */
export function decideMove(request: ModelRequest, now: number): Move {
  const last = request.items.findLastIndex((item) => item.type === 'message' && item.role === 'user')
  const message = request.items[last]
  const text = message?.type === 'message' ? messageText(message) : ''
  const outcomes = outcomesOf(request.items.slice(last + 1))
  const heard = hear(text, now)
  if (request.format !== undefined) {
    const values = outcomes.map(({ output }) => outputValue(output)).filter(isObject)
    const facts = Object.fromEntries(values.flatMap((value) => Object.entries(value)))
    return say(JSON.stringify(answerFor(request.format.schema, { heard, facts, now })))
  }
  if (outcomes.length > 0) return say(sayOutcomes(outcomes))
  const asked = withQuestions(request.items.slice(0, last), text)
  return (
    understand(heard, request.tools, now) ??
    (asked === text ? undefined : understand(hear(asked, now), request.tools, now)) ??
    say(sayUnknown(request.tools))
  )
}

/** The first rule that knows what to do; undefined when none does. */
function understand(heard: Heard, tools: readonly ToolSpec[], now: number): Move | undefined {
  return (
    converse(heard.text, tools) ??
    remember(heard, tools, now) ??
    tellTime(heard, tools, now) ??
    calculate(heard, tools) ??
    useTool(heard, tools) ??
    recall(heard, tools)
  )
}

function converse(text: string, tools: readonly ToolSpec[]): Move | undefined {
  const plain = text
    .toLowerCase()
    .replaceAll(/[!.?,\s]+/g, ' ')
    .trim()
  const greeting =
    /^(?:(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))(?: (?:there|atrium|all|everyone))?(?: how are you)?|how are you)$/
  if (greeting.test(plain)) return say(sayHello())
  if (plain === '') return say(`I received no text. ${sayHello()}`)
  if (/^(?:thanks|thank you|thx|cheers)(?: (?:a lot|so much|very much|atrium))?$/.test(plain))
    return say("You're welcome.")
  if (/^(?:bye|goodbye|good night|see you)(?: .{0,20})?$/.test(plain)) return say('Goodbye.')
  const help =
    /^(?:please )?(?:help(?: me)?|what can you do|what do you do|who are you|what are you|(?:what|which) (?:tools|model)\b.{0,40}|list (?:the |your )?tools|are you (?:an? )?(?:ai|bot|llm|real|human))$/
  return help.test(plain) ? say(sayHelp(tools)) : undefined
}

function remember({ text }: Heard, tools: readonly ToolSpec[], now: number): Move | undefined {
  const fact =
    /^(?:please |can you |could you |hey |atrium )*(?:remember|note|memorize|keep in mind)(?: that| this)?(?:[:,]? )(\S[\s\S]*)$/i.exec(
      text,
    )?.[1]
  if (fact === undefined) return undefined
  const tool = tools.find(({ name }) => name === 'memory_write')
  if (tool === undefined)
    return say(
      `I cannot keep that: no memory tool is offered to me here. As an offline model I have none of my own; ${CONNECT}.`,
    )
  // The whole fact is the value, so it counts as quoted; where it goes is ours to choose, a new note for each fact.
  const heard = { ...hear(fact, now), quoted: [fact.trim()] }
  const isPlace = (name: string) => /path|file|title|key|document|target/i.test(name)
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(tool.parameters)).filter(([name]) => !isPlace(name)),
  )
  const required = requiredOf(tool.parameters)
  const schema = { ...tool.parameters, properties, required: required.filter((name) => !isPlace(name)) }
  const { args, missing } = fillParameters(schema, heard, new Set())
  if (missing.length > 0) return say(sayMissing(tool, missing))
  const note = `notes/${heard.words.slice(0, 6).join('-') || 'note'}.md`
  return call(tool, { ...args, ...Object.fromEntries(required.filter(isPlace).map((name) => [name, note])) })
}

function tellTime(heard: Heard, tools: readonly ToolSpec[], now: number): Move | undefined {
  const asks =
    /\bwhat(?:'s|’s| is)? (?:the )?(?:current |local )?(?:time|date)\b(?! of| for a)|\bwhat time is it|\b(?:current|local) time\b|^(?:the )?time (?:now|in|please)\b|^(?:the )?time\W*$|\b(?:what|which) (?:week)?day (?:is it|is today|of the week)|\btoday'?s date\b|\bdate today\b/i
  if (!asks.test(heard.text)) return undefined
  // A second time tool can only be the caller's or the operator's own: it was put there to be used.
  const own = tools.findLast(
    ({ name }) =>
      name !== 'time' &&
      wordsOf(name).every((word) => ['get', 'current', 'time', 'local'].includes(word)) &&
      /time/i.test(name),
  )
  const tool = own ?? tools.find(({ name }) => name === 'time')
  return tool === undefined
    ? say(`It is ${new Date(now).toISOString()} (UTC) by the service's clock.`)
    : use(tool, heard)
}

function calculate(heard: Heard, tools: readonly ToolSpec[]): Move | undefined {
  const expression = expressionIn(heard.text)
  if (expression === undefined) return undefined
  const tool = tools.find(({ name }) => name === 'calculate')
  if (tool === undefined) return undefined
  return call(tool, { expression })
}

function useTool(heard: Heard, tools: readonly ToolSpec[]): Move | undefined {
  const choice = chooseTool(tools, heard)
  switch (choice.type) {
    case 'use':
      return use(choice.tool, heard)
    case 'torn':
      return say(sayTorn(choice.tools))
    case 'writes':
      return say(sayWrites(choice.tool))
    case 'none':
      return undefined
    default:
      return choice satisfies never
  }
}

function recall(heard: Heard, tools: readonly ToolSpec[]): Move | undefined {
  const tool = tools.find(({ name }) => name === 'memory_search')
  const asks = /\bremember\b|\brecall\b|\bdid i (?:tell|say)|^(?:what|who|where|when|which|how)\b.*\b(?:my|i|mine)\b/i
  return tool !== undefined && asks.test(heard.text)
    ? use(tool, heard, new Set(['remember', 'recall', 'said', 'told']))
    : undefined
}

function use(tool: ToolSpec, heard: Heard, topic = topicOf(tool)): Move {
  const { args, missing } = fillParameters(tool.parameters, heard, topic)
  return missing.length > 0 ? say(sayMissing(tool, missing)) : call(tool, args)
}

function call(tool: ToolSpec, args: Readonly<Record<string, unknown>>): Move {
  return { type: 'call', name: tool.name, args: JSON.stringify(args) }
}

function say(text: string): Move {
  return { type: 'say', text }
}

/** The message together with the earlier ones that it answers a question about. */
function withQuestions(before: readonly Item[], text: string): string {
  const messages = before.filter((item): item is Message => item.type === 'message')
  let [whole, at] = [text, messages.length]
  for (let questions = 0; questions < MAX_QUESTIONS; questions++) {
    const [user, question] = [messages[at - 2], messages[at - 1]]
    if (user?.role !== 'user' || question?.role !== 'assistant' || !isAsking(textOf(question))) break
    whole = `${messageText(user).replace(/[?!.\s]+$/, '')} ${whole}`
    at -= 2
  }
  return whole
}

function outcomesOf(items: readonly Item[]): Outcome[] {
  const names = new Map(items.flatMap((item) => (item.type === 'call' ? [[item.callId, item.name]] : [])))
  return items.flatMap((item) =>
    item.type === 'result'
      ? [{ tool: names.get(item.callId) ?? 'tool', output: item.output, error: item.error === true }]
      : [],
  )
}

function inBatches(text: string): ModelEvent[][] {
  const chunks = text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text])
  const size = Math.max(1, Math.ceil(chunks.length / BATCHES))
  const batches = Array.from({ length: Math.ceil(chunks.length / size) }, (_, index) =>
    chunks.slice(index * size, (index + 1) * size),
  )
  return batches.map((batch) => batch.map((chunk) => ({ type: 'text', text: chunk })))
}

function sizeOf(item: Item): number {
  if (item.type === 'message') return textOf(item).length
  if (item.type === 'result') return item.output.length
  return item.type === 'call' ? item.name.length + JSON.stringify(item.args).length : 0
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}
