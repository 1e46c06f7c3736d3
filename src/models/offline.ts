// The offline model: a few rules that let every door answer on a machine without a key and without a network.
import type { Item, Result } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import type { JsonObject } from '#core/json.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { fillers, fillAnswer, fillParameters, meaningOf, wordsOf } from './offline-fill.ts'

/** What the model does next: words, or one call. */
export type Move =
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: JsonObject }

const windowTokens = 100_000
const charsPerToken = 4
/** Only the start of a message is understood. */
const maxMessageChars = 2_000
const maxLines = 60
const maxLineChars = 2_000
const deepest = 5

const whoAmI = "I am Atrium's built-in offline model: a few simple rules, no real language model."
const connectHint = 'To connect a real model, set LLM_PROVIDER and LLM_API_KEY, or run `atrium model set`.'
const offerText = `${whoAmI} Say "help" to see what I can do.\n${connectHint}`
/** How every question for a parameter begins; the next message is read as its answer. */
const askingWords = 'To use '
const exampleWords: Readonly<Record<string, string>> = {
  time: 'tell the time: "what time is it in Tokyo?"',
  calculate: 'calculate: "what is 17% of 80?"',
  memory_write: 'remember: "remember that my bike is blue"',
  memory_search: 'recall: "what do you remember about my bike?"',
}

const helloWords =
  /^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: (?:there|atrium|again))?|(?:who|what|how) are you.{0,20})?$/
const helpWords = /^(?:please )?help(?: me)?$|^what (?:can|do) you do$|\b(?:which|what|your) tool\b/
const rememberWords = /^(?:please )?(?:remember|note|keep in mind)(?: that)?[:,]? (.+)/is
const recallWords = /\b(?:remember|recall)\b|^(?:what|who|where|when|which)\b.*\b(?:my|i)\b/i
const timeWords =
  /\b(?:what|which)(?:['’]?s| is)?(?: the)?(?: current| local)? (?:time|date|day)\b(?! of)|^time\b|\btoday['’]s date\b/i

/** Verbs that change something wherever they stand in a tool's name or description. */
const writingVerb =
  /^(?:write|create|insert|update|edit|modify|save|delete|remove|erase|wipe|purge|send|notify|publish|reply|execute|exec|shell|eval|deploy|install|uninstall|buy|purchase|pay|refund|upload|rename|submit|revoke|invite|overwrite|append|replace|subscribe|kill|terminate|reboot|restart|checkout|withdraw)$/
/** Verbs that are things after a verb of reading: "get_order", "list_posts". */
const mayWrite =
  /^(?:add|set|put|post|store|drop|clear|cancel|stop|start|run|order|book|reserve|charge|transfer|move|schedule|sign|approve|grant|trigger|toggle|turn|switch|enable|disable|lock|unlock|open|close|merge|push|commit|mail|email|message|share|control|change|make|reset|assign|import|record|register|draft|launch|command)$/
const readingVerb = /^(?:get|list|read|find|search|fetch|show|lookup|query|check|describe|count|view|retrieve)$/

/** `clock` tells the time where no `time` tool is offered. */
export function createOfflineModel({ clock = Date.now }: { clock?: () => number } = {}): Model {
  return {
    provider: 'offline',
    name: 'offline',
    window: windowTokens,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const move = decide(request, clock())
      const written = move.type === 'reply' ? move.text : JSON.stringify(move.args)
      if (move.type === 'call') yield [{ type: 'call', name: move.name, args: written }]
      else for (const text of written.match(/\s*\S+\s*/g) ?? []) yield [{ type: 'text', text }]
      const tokens = (text: string) => Math.ceil(text.length / charsPerToken)
      const read = request.system + request.items.map(readable).join('')
      yield [{ type: 'done', usage: { ...noUsage, inputTokens: tokens(read), outputTokens: tokens(written) } }]
    },
  }
}

/** The whole of the model's judgement. Results since the last message end the turn: no call is made twice. */
export function decide({ items, tools, format }: ModelRequest, now: number): Move {
  const last = items.findLastIndex((item) => item.type === 'message' && item.role === 'user')
  const results = items.slice(last + 1).filter((item) => item.type === 'result')
  const told = results.map((result) => phrase(result, items)).join('\n\n')
  const message = heard(items[last])
  const next = () => understand(message, tools, now) ?? resume(items.slice(0, last + 1), tools, now)
  const move = results.length > 0 ? reply(told) : next()
  if (format === undefined || move.type === 'call') return move
  const known = `${told} ${message}`.slice(0, maxMessageChars)
  return reply(JSON.stringify(fillAnswer(format.schema, known, move.text)))
}

/** The user's own words, without the blocks that the service puts ahead of them. */
function heard(item: Item | undefined): string {
  const own = readable(item).replace(/^(?:\s*<(instructions|user-context)>[\s\S]*?<\/\1>)*/, '')
  return own.trim().slice(0, maxMessageChars)
}

/** An answer to this model's own question is understood together with the message that the question was about. */
function resume(items: readonly Item[], tools: readonly ToolSpec[], now: number): Move {
  const [before, question, answer] = items.filter((item) => item.type === 'message').slice(-3)
  const asked = question?.role === 'assistant' && readable(question).startsWith(askingWords)
  const move = asked ? understand(`${heard(before)} ${heard(answer)}`, tools, now) : undefined
  return move ?? reply(`Sorry, that is beyond me. ${offerText}`)
}

/** The first rule that knows what to do. */
function understand(message: string, tools: readonly ToolSpec[], now: number): Move | undefined {
  const offered = (name: string) => tools.find((tool) => tool.name === name)
  const plain = wordsOf(message).join(' ')
  if (helloWords.test(plain)) return reply(`Hello! ${offerText}`)
  if (helpWords.test(plain)) return help(tools)
  if (/^(?:thank|thx)\b/.test(plain)) return reply("You're welcome.")
  const fact = rememberWords.exec(message)?.[1]
  if (fact !== undefined) return remember(fact, offered('memory_write'))
  const tool = toolFor(message, tools)
  if (tool !== undefined) return use(tool, message)
  const [time, calculate, search] = ['time', 'calculate', 'memory_search'].map(offered)
  if (timeWords.test(message)) return time ? use(time, message) : reply(`It is ${new Date(now).toUTCString()}.`)
  const expression = expressionIn(message)
  if (calculate && expression) return { type: 'call', name: calculate.name, args: { expression } }
  if (search && recallWords.test(message)) return use(search, message.replace(/.*\b(?:remember|recall)\b/i, ''))
  return undefined
}

function help(tools: readonly ToolSpec[]): Move {
  const lines = tools.map((tool) => `- ${exampleWords[tool.name] ?? `${tool.name}: ${tool.description.split('.')[0]}`}`)
  return reply([whoAmI, 'I can:', '- greet you: "hello"', ...lines.slice(0, maxLines), '', connectHint].join('\n'))
}

/** The fact fills what the schema requires; where that is a place too, each fact is a note of its own. */
function remember(fact: string, tool: ToolSpec | undefined): Move {
  if (tool === undefined) return reply(`I cannot keep that: no memory is offered to me here. ${connectHint}`)
  const note = `notes/${wordsOf(fact).slice(0, 6).join('-')}.md`
  const names = [tool.parameters.required].flat().filter((name) => typeof name === 'string')
  const args = Object.fromEntries(names.map((name) => [name, /path|file|title|key/i.test(name) ? note : fact]))
  return { type: 'call', name: tool.name, args }
}

/** Digits, operators and parentheses as they stand in the message; a date or a phone number is no sum. */
function expressionIn(message: string): string | undefined {
  const words = { plus: '+', minus: '-', times: '*', 'divided by': '/', ' percent': '%' }
  const symbols = Object.entries(words).reduce((text, [word, symbol]) => text.replaceAll(word, symbol), message)
  const runs = symbols.match(/[(-]*\d(?:[\d\s.,+\-*/^%()×÷−]|x(?= ?\d)|of(?= \d))*/g) ?? []
  return runs
    .map((run) => run.replaceAll('x', '*').replace(/[\s.,]+$/, ''))
    .find((run) => /[\d)%] *(?:[-+*/^%×÷−]|of) *[(-]*\d/.test(run) && !/^\d+([-/])\d+\1\d+$/.test(run))
}

/** The tool that the message clearly matches. The last of equals wins: a caller's tools follow the service's own. */
function toolFor(message: string, tools: readonly ToolSpec[]): ToolSpec | undefined {
  const others = tools.filter(({ name }) => !['time', 'calculate', 'memory_write'].includes(name)).toReversed()
  const scored = others.map((tool) => ({ tool, score: scoreOf(tool, message) })).filter(({ score }) => score > 0)
  return scored.toSorted((a, b) => b.score - a.score)[0]?.tool
}

/** Clear is a name that was said, or two words of the description that are half of what was said. */
function scoreOf({ name, description }: ToolSpec, message: string): number {
  const said = [...meaningOf(message)].filter((word) => readingVerb.test(word) || !fillers.has(word))
  const telling = wordsOf(name).filter((word) => !readingVerb.test(word) && !fillers.has(word))
  const subject = telling.length > 0 ? telling : wordsOf(name)
  const known = new Set(wordsOf(`${name} ${description}`))
  const described = said.filter((word) => known.has(word)).length
  if (subject.every((word) => said.includes(word))) return 10 * subject.length + described
  return described >= 2 && described * 2 >= said.length ? described : 0
}

function use(tool: ToolSpec, message: string): Move {
  if (isWriting(tool)) return reply(`${tool.name} changes or sends something: I never guess at that. ${connectHint}`)
  const { args, missing } = fillParameters(tool, message)
  if (missing.length === 0) return { type: 'call', name: tool.name, args }
  return reply(`${askingWords}${tool.name} I still need: ${missing.join('; ')}. Please tell me.`)
}

/** Judged by verbs: in the name, where a sentence of the description begins, and after "and", "or", "to", "can". */
function isWriting({ name, description }: ToolSpec): boolean {
  const words = wordsOf(name)
  const leading = wordsOf(description.match(/(?<=^|[.;:\n]\s*)\p{L}+/gu)?.join(' ') ?? '')
  const further = wordsOf(description.match(/(?<=\b(?:and|or|to|can|will) )\p{L}+/gu)?.join(' ') ?? '')
  if ([...words, ...leading, ...further].some((word) => writingVerb.test(word))) return true
  return [...(readingVerb.test(words[0] ?? '') ? [] : words), ...leading].some((word) => mayWrite.test(word))
}

function phrase({ callId, output, error }: Result, items: readonly Item[]): string {
  const call = items.findLast((item) => item.type === 'call' && item.callId === callId)
  const name = call?.type === 'call' ? call.name : 'The tool'
  // As safety/fence.ts writes it.
  const text = output.replace(/^<untrusted-content[^>]*>\n([\s\S]*)\n<\/untrusted-content>$/, '$1').trim()
  if (error) return `${name} could not do that: ${text.slice(0, maxLineChars)}`
  if (name === 'memory_write') return 'I have made a note of that.'
  const value = parsed(text || '(nothing)')
  if (name === 'time' && isObject(value) && typeof value.local === 'string') return `It is ${value.local}.`
  const lines = linesOf(value, 0).map((line) => line.slice(0, maxLineChars))
  if (lines.length > maxLines) lines.splice(maxLines, Infinity, '… and more')
  return name === 'calculate' ? lines.join('\n') : [`Here is what ${name} says:`, ...lines].join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An object as "key: value" lines, a list as bullets. */
function linesOf(value: unknown, depth: number): string[] {
  if (depth > deepest) return ['…']
  if (Array.isArray(value)) return value.map((each) => `- ${linesOf(each, depth + 1).join(', ')}`)
  if (!isObject(value)) return [typeof value === 'string' ? value : JSON.stringify(value)]
  return Object.entries(value).flatMap(([key, each]) => {
    const [label, lines] = [`${key.replaceAll('_', ' ')}:`, linesOf(each, depth + 1)]
    return isObject(each) || Array.isArray(each) ? [label, ...lines.map((line) => `  ${line}`)] : `${label} ${lines[0]}`
  })
}

/** The text of an item; of a message what was written, without files. */
function readable(item: Item | undefined): string {
  if (item?.type === 'message') return item.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return item?.type === 'result' ? item.output : item?.type === 'call' ? item.args : ''
}

function reply(text: string): Move {
  return { type: 'reply', text }
}
