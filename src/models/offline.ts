// The offline model: a few rules that let every door answer on a machine without a key and without a network.
import type { Item, Result } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import type { JsonObject } from '#core/json.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { fillAnswer, fillParameters, isFiller, meaningOf, wordsOf } from './offline-fill.ts'

type Tools = readonly ToolSpec[]
/** What the model does next: words, or one call. */
export type Move =
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: JsonObject }

const WINDOW = 100_000
const CHARS_PER_TOKEN = 4
/** Only the start of a message is understood. */
const MAX_MESSAGE_CHARS = 2_000
const MAX_LINES = 60
const MAX_LINE_CHARS = 2_000
const MAX_DEPTH = 5

const WHO = "I am Atrium's built-in offline model: a few simple rules, no real language model."
const CONNECT = 'To connect a real one, set LLM_PROVIDER and LLM_API_KEY, or run `atrium model set`.'
/** How every question for a parameter begins; the next message is read as its answer. */
const ASKING = 'To use '

const EXAMPLES: readonly (readonly [tool: string, example: string])[] = [
  ['time', 'tell the time: "what time is it in Tokyo?"'],
  ['calculate', 'calculate: "what is 17% of 80?"'],
  ['memory_write', 'remember: "remember that my bike is blue"'],
  ['memory_search', 'recall: "what do you remember about my bike?"'],
]

/** Verbs that change something wherever they stand in a tool's name or description. */
const WRITES =
  /^(?:write|create|insert|update|edit|modify|save|delete|remove|erase|wipe|purge|send|notify|publish|reply|execute|exec|shell|eval|deploy|install|uninstall|buy|purchase|pay|refund|upload|rename|submit|revoke|invite|overwrite|append|replace|subscribe|kill|terminate|reboot|restart|checkout|withdraw)$/
/** Verbs that are things after a verb of reading: "get_order", "list_posts". */
const MAY_WRITE =
  /^(?:add|set|put|post|store|drop|clear|cancel|stop|start|run|order|book|reserve|charge|transfer|move|schedule|sign|approve|grant|trigger|toggle|turn|switch|enable|disable|lock|unlock|open|close|merge|push|commit|mail|email|message|share|control|change|make|reset|assign|import|record|register|draft|launch|command)$/
const READS = /^(?:get|list|read|find|search|fetch|show|lookup|query|check|describe|count|view|retrieve)$/

/** `clock` tells the time where no `time` tool is offered. */
export function createOfflineModel({ clock = Date.now }: { clock?: () => number } = {}): Model {
  return {
    provider: 'offline',
    name: 'offline',
    window: WINDOW,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const move = decide(request, clock())
      const written = move.type === 'reply' ? move.text : JSON.stringify(move.args)
      if (move.type === 'call') yield [{ type: 'call', name: move.name, args: written }]
      else for (const text of written.match(/\s*\S+\s*/g) ?? []) yield [{ type: 'text', text }]
      const tokens = (text: string) => Math.ceil(text.length / CHARS_PER_TOKEN)
      const read = request.system + request.items.map(readable).join('')
      yield [{ type: 'done', usage: { ...noUsage, inputTokens: tokens(read), outputTokens: tokens(written) } }]
    },
  }
}

/** The whole of the model's judgement. Results since the last message end the turn: no call is made twice. */
export function decide({ items, tools, format }: ModelRequest, now: number): Move {
  const last = items.findLastIndex((item) => item.type === 'message' && item.role === 'user')
  const message = withQuestion(items, last)
  const results = items.slice(last + 1).filter((item) => item.type === 'result')
  const told = results.map((result) => phrase(result, items)).join('\n\n')
  const move = results.length > 0 ? reply(told) : understand(message, tools, now)
  if (format === undefined || move.type === 'call') return move
  return reply(JSON.stringify(fillAnswer(format.schema, `${told} ${message}`, move.text)))
}

/** A message that answers this model's own question is read together with the one the question was about. */
function withQuestion(items: readonly Item[], last: number): string {
  const message = readable(items[last])
    .replace(/^(?:\s*<(instructions|user-context)>[\s\S]*?<\/\1>)*/, '')
    .trim()
  const before = items.findLastIndex((item, index) => index < last && item.type === 'message')
  const asked = before > 0 && readable(items[before]).startsWith(ASKING)
  return (asked ? `${withQuestion(items, before - 1)} ${message}` : message).slice(0, MAX_MESSAGE_CHARS)
}

function understand(message: string, tools: Tools, now: number): Move {
  const offered = (name: string) => tools.find((tool) => tool.name === name)
  const plain = message
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim()
  if (/^(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: (?:there|atrium|again))?$/.test(plain) || !plain)
    return reply(`Hello! ${WHO} Say "help" to see what I can do.\n${CONNECT}`)
  if (/^(?:thanks|thank you|thx)\b/.test(plain)) return reply("You're welcome.")
  if (/^(?:who|what) are you\b|^are you (?:an? )?(?:ai|bot|human)/.test(plain)) return reply(`${WHO} ${CONNECT}`)
  if (/^(?:please )?help(?: me)?$|^what (?:can|do) you do$|\b(?:which|what|your) tools\b/.test(plain))
    return help(tools)
  const fact = /^(?:please )?(?:remember|note|keep in mind)(?: that)?[:,]? (.+)/is.exec(message)?.[1]
  if (fact !== undefined) return remember(fact, offered('memory_write'))
  const tool = toolFor(message, tools)
  if (tool !== undefined) return use(tool, message)
  if (
    /\b(?:what|which)(?:['’]?s| is)?(?: the)?(?: current| local)? (?:time|date|day)\b(?! of)|^time\b|\btoday['’]s date\b/i.test(
      message,
    )
  ) {
    const time = offered('time')
    return time ? use(time, message) : reply(`It is ${new Date(now).toUTCString()}.`)
  }
  const [calculate, expression] = [offered('calculate'), expressionIn(message)]
  if (calculate && expression) return { type: 'call', name: calculate.name, args: { expression } }
  const search = offered('memory_search')
  if (search && /\b(?:remember|recall)\b|^(?:what|who|where|when|which)\b.*\b(?:my|i)\b/i.test(message))
    return use(search, message.replace(/.*\b(?:remember|recall)\b/i, ''))
  return reply(`Sorry, that is beyond me. ${WHO} Say "help" to see what I can do.\n${CONNECT}`)
}

function help(tools: Tools): Move {
  const known = EXAMPLES.filter(([name]) => tools.some((tool) => tool.name === name)).map(([, example]) => example)
  const others = tools.filter(({ name }) => !EXAMPLES.some(([known]) => known === name))
  const uses = others.map(({ name, description }) => `use ${name}: ${/^.*?[.\n]|^.*/.exec(description)?.[0]}`)
  const lines = [...known, ...uses].slice(0, MAX_LINES).map((line) => `- ${line}`)
  return reply(
    [WHO, 'I can:', ...(lines.length > 0 ? lines : ['- greet you: no tools are offered to me here']), '', CONNECT].join(
      '\n',
    ),
  )
}

/** The fact goes where the schema has a text for it; each fact is a note of its own. */
function remember(fact: string, tool: ToolSpec | undefined): Move {
  if (tool === undefined) return reply(`I cannot keep that: no memory is offered to me here. ${CONNECT}`)
  const { required = [] } = tool.parameters
  const note = `notes/${wordsOf(fact).slice(0, 6).join('-')}.md`
  const args = [required].flat().map((name) => [name, /path|file|title|key/i.test(String(name)) ? note : fact])
  return { type: 'call', name: tool.name, args: Object.fromEntries(args) as JsonObject }
}

/** Digits, operators and parentheses as they stand in the message; a date or a phone number is no sum. */
function expressionIn(message: string): string | undefined {
  const symbols = message
    .replaceAll(/\bplus\b/gi, '+')
    .replaceAll(/\bminus\b/gi, '-')
    .replaceAll(/\btimes\b|(?<=\d ?)x(?= ?\d)/gi, '*')
    .replaceAll(/\bdivided by\b/gi, '/')
    .replaceAll(/ ?\bpercent\b/gi, '%')
  const runs = symbols.match(/[(-]*\d(?:[\d\s.,+\-*/^%()×÷−]|of(?= \d))*/g) ?? []
  return runs
    .map((run) => run.replace(/[\s.,]+$/, ''))
    .find(
      (run) => /[\d)%] *(?:[-+*/^%×÷−]|of) *[(-]*\d/.test(run) && !/^[\d-]*\d{2,}-\d{2,}$|^\d+\/\d+\/\d+$/.test(run),
    )
}

/** The tool that the message clearly matches. The last of equals wins: a caller's tools follow the service's own. */
function toolFor(message: string, tools: Tools): ToolSpec | undefined {
  const scored = tools
    .filter(({ name }) => !['time', 'calculate', 'memory_write'].includes(name))
    .map((tool) => ({ tool, score: scoreOf(tool, message) }))
  return scored
    .toReversed()
    .toSorted((a, b) => b.score - a.score)
    .find(({ score }) => score > 0)?.tool
}

/** Clear is a name that was said in whole, or two words of the description that are most of what was said. */
function scoreOf({ name, description }: ToolSpec, message: string): number {
  const said = [...meaningOf(message)].filter((word) => !isFiller(word))
  const subject = wordsOf(name).filter((word) => !READS.test(word) && !isFiller(word))
  const known = new Set(wordsOf(`${name} ${description}`))
  const described = said.filter((word) => known.has(word)).length
  const named = message.includes(name) || (subject.length > 0 && subject.every((word) => said.includes(word)))
  if (named) return subject.length * 10 + described
  return described >= 2 && described * 2 >= said.length ? described : 0
}

function use(tool: ToolSpec, message: string): Move {
  if (isWriting(tool))
    return reply(`That looks like ${tool.name}, which changes or sends something. I never guess at that. ${CONNECT}`)
  const { args, missing } = fillParameters(tool, message)
  if (missing.length > 0) return reply(`${ASKING}${tool.name} I still need: ${missing.join('; ')}. Please tell me.`)
  return { type: 'call', name: tool.name, args }
}

/** Judged by verbs: in the name, where a sentence of the description begins, and after "and", "or", "to", "can". */
function isWriting({ name, description }: ToolSpec): boolean {
  const words = wordsOf(name)
  const verbs = (before: RegExp) => [...description.matchAll(before)].flatMap((match) => wordsOf(match[1] ?? ''))
  const [leading, further] = [verbs(/(?:^|[.;:\n]\s*)(\p{L}+)/gu), verbs(/\b(?:and|or|to|can|will) (\p{L}+)/gu)]
  if ([...words, ...leading, ...further].some((word) => WRITES.test(word))) return true
  return [...(READS.test(words[0] ?? '') ? [] : words), ...leading].some((word) => MAY_WRITE.test(word))
}

function phrase({ callId, output, error }: Result, items: readonly Item[]): string {
  const call = items.find((item) => item.type === 'call' && item.callId === callId)
  const name = call?.type === 'call' ? call.name : 'the tool'
  // As safety/injection.ts writes it, which stands on a higher floor.
  const text = output.replace(/^<untrusted-content[^>]*>\n([\s\S]*)\n<\/untrusted-content>$/, '$1').trim()
  const value = parsed(text)
  if (error) return `${name} could not do that: ${text.slice(0, MAX_LINE_CHARS)}`
  if (name === 'memory_write') return 'I have made a note of that.'
  if (name === 'time' && isObject(value) && value.local)
    return `It is ${String(value.local)} (${String(value.timezone)}).`
  const lines = linesOf(value, 0).map((line) => line.slice(0, MAX_LINE_CHARS))
  const told = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '… and more'] : lines
  return [...(name === 'calculate' ? [] : [`Here is what ${name} says:`]), ...told].join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Most tools answer in plain text: that is a value too.
    return text
  }
}

/** An object as "key: value" lines, a list as bullets. */
function linesOf(value: unknown, depth: number): string[] {
  if (Array.isArray(value)) return value.map((each) => `- ${linesOf(each, depth + 1).join(', ')}`)
  if (!isObject(value) || depth > MAX_DEPTH) return [typeof value === 'string' ? value : JSON.stringify(value)]
  return Object.entries(value).flatMap(([key, each]) => {
    const [label, lines] = [`${key.replaceAll('_', ' ')}:`, linesOf(each, depth + 1)]
    return typeof each === 'object' ? [label, ...lines.map((line) => `  ${line}`)] : [`${label} ${lines.join('')}`]
  })
}

/** The text of an item; of a message what was written, without files. */
function readable(item: Item | undefined): string {
  if (item?.type === 'message') return item.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return item?.type === 'result' ? item.output : item?.type === 'call' ? JSON.stringify(item.args) : ''
}

function reply(text: string): Move {
  return { type: 'reply', text }
}
