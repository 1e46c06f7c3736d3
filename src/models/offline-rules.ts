// The rules of the offline model: what one question calls for.
import type { JsonObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { fillParameters } from './offline-fill.ts'
import { asksTime, fillers, isoDay, meaningOf, sumIn, trimmed, wordsOf, zoneIn } from './offline-read.ts'
import { connectHint, greeting, help } from './offline-say.ts'

/** What the model does: words, a question for what a call still needs, or the call. */
export type Move =
  | { readonly type: 'say' | 'ask'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: JsonObject }

/** How every question for a parameter begins; the next message is read as its answer. */
export const asking = 'To use '
/** What follows is kept as it stands. */
const rememberWords = /^(?:please )?(?:remember|note|keep in mind|don['’]?t forget)(?: that)?[:,]? (.+)/is
/** Asks for a change: no reading tool is meant. */
const changeWords = /^(?:please )?(?:post|put|send(?! me)|delete|remove|write|edit|update|upload|publish|e-?mail)\b/i
const helpWords = /^(?:please )?help(?: me)?(?: please)?$|^what (?:can|do) you do\b|\b(?:which|what|your) tool\b/
const recallWords =
  /\b(?:remember|recall)\b|^(?:what|who|where|when|which|how old)\b(?!.*\b(?:should|can|could|would) i\b).*\b(?:my|i)\b|\bdo you know (?:my|about me|what|where|who)\b/i

/** Verbs that change something wherever they stand in a tool's name or description. */
const writingVerb =
  /^(?:write|create|insert|update|edit|modify|save|delete|remove|erase|wipe|purge|send|notify|publish|reply|execute|exec|shell|eval|deploy|install|uninstall|buy|purchase|pay|refund|upload|rename|submit|revoke|invite|overwrite|append|replace|subscribe|kill|terminate|reboot|restart|checkout|withdraw)$/
/** Verbs that are things after a verb of reading: "get_order", "list_posts". */
const mayWrite =
  /^(?:add|set|put|post|store|drop|clear|cancel|stop|start|run|order|book|reserve|charge|transfer|move|schedule|sign|approve|grant|trigger|toggle|turn|switch|enable|disable|lock|unlock|open|close|merge|push|commit|mail|email|message|share|control|change|make|reset|assign|import|record|register|draft|launch|command)$/
const readingVerb = /^(?:get|list|read|find|search|fetch|show|lookup|query|check|describe|count|view|retrieve)$/

/** The score of a tool whose name was said. */
const sureScore = 10

/** What the first rule that knows the question makes of it. */
export function understand(message: string, tools: readonly ToolSpec[], now: number): Move | undefined {
  const offered = (name: string) => tools.find((tool) => tool.name === name)
  const plain = wordsOf(message).join(' ')
  if (helpWords.test(plain)) return say(help(tools.filter((tool) => tool.name === 'memory_write' || !isWriting(tool))))
  if (/^(?:thank|thx|merci|danke|gracia)\b/.test(plain)) return say("You're welcome.")
  if (/^(?:bye|goodbye|good night|see you)\b/.test(plain)) return say('Goodbye.')
  const fact = rememberWords.exec(message)?.[1]
  if (fact !== undefined) return remember(fact, offered('memory_write'))
  const [best] = matching(message, tools)
  if (best && !isWriting(best.tool) && changeWords.test(message)) return undefined
  if (best && best.score >= sureScore) return use(best.tool, message, now)
  const sum = sumIn(message)
  if (sum !== undefined && offered('calculate')) return call('calculate', { expression: sum })
  if (asksTime(message, isoDay(now))) {
    const zone = zoneIn(message)?.zone
    return offered('time')
      ? call('time', zone === undefined ? {} : { timezone: zone })
      : say(`It is ${new Date(now).toUTCString()}.`)
  }
  if (recallWords.test(message)) return recall(message, offered)
  if (best) return use(best.tool, message, now)
  const hello = greeting(plain)
  return hello === undefined ? undefined : say(hello)
}

/** Each fact is a note of its own, named by its first words; one that begins the same is added to it. */
function remember(fact: string, tool: ToolSpec | undefined): Move {
  if (tool === undefined) return say(`I cannot keep that: no memory is offered to me here. ${connectHint}`)
  const path = `notes/${wordsOf(fact).slice(0, 6).join('-').slice(0, 80) || 'note'}.md`
  const append = JSON.stringify(tool.parameters).includes('"append"') ? { append: true } : {}
  return call(tool.name, { path, content: fact, ...append })
}

/** Asked for everything, it lists what there is. */
function recall(message: string, offered: (name: string) => ToolSpec | undefined): Move {
  if (!offered('memory_search')) return say(`I cannot know that: no memory is offered to me here. ${connectHint}`)
  const query = trimmed(message.replace(/^.*\b(?:remember|recall|know|told|said|did)\b/is, ''))
  const isAll = query === '' && !/\bwho\b/i.test(message) && offered('memory_list') !== undefined
  return isAll ? call('memory_list', {}) : call('memory_search', { query: query || 'name' })
}

/** The tools that the message clearly matches, best first. Of equals the last: a caller's tools follow the service's own. */
function matching(message: string, tools: readonly ToolSpec[]) {
  const others = tools.filter(({ name }) => !['time', 'calculate', 'memory_write'].includes(name)).toReversed()
  const scored = others.map((tool) => ({ tool, score: scoreOf(tool, message) })).filter(({ score }) => score > 0)
  return scored.toSorted((a, b) => b.score - a.score)
}

/** Clear is a name that was said, or two words of the description that are half of what was said. */
function scoreOf({ name, description }: ToolSpec, message: string): number {
  const said = [...meaningOf(message)].filter((word) => readingVerb.test(word) || !fillers.has(word))
  const telling = wordsOf(name).filter((word) => !readingVerb.test(word) && !fillers.has(word))
  const subject = telling.length > 0 ? telling : wordsOf(name)
  const known = new Set(wordsOf(`${name} ${description}`))
  const described = said.filter((word) => known.has(word)).length
  if (subject.every((word) => said.includes(word))) return sureScore * subject.length + described
  return described >= 2 && described * 2 >= said.length ? described : 0
}

function use(tool: ToolSpec, message: string, now: number): Move {
  if (isWriting(tool)) return say(`${tool.name} changes or sends something: I never guess at that. ${connectHint}`)
  const { args, missing } = fillParameters(tool, { message, today: isoDay(now) })
  if (missing.length === 0) return call(tool.name, args)
  return { type: 'ask', text: `${asking}${tool.name} I still need: ${missing.join('; ')}. Please tell me.` }
}

/** Judged by verbs: in the name, where a sentence of the description begins, and after "and", "or", "to", "can". */
function isWriting({ name, description }: ToolSpec): boolean {
  const words = wordsOf(name)
  const leading = wordsOf(description.match(/(?<=^|[.;:\n]\s*)\p{L}+/gu)?.join(' ') ?? '')
  const further = wordsOf(description.match(/(?<=\b(?:and|or|to|can|will) )\p{L}+/gu)?.join(' ') ?? '')
  if ([...words, ...leading, ...further].some((word) => writingVerb.test(word))) return true
  return [...(readingVerb.test(words[0] ?? '') ? [] : words), ...leading].some((word) => mayWrite.test(word))
}

function say(text: string): Move {
  return { type: 'say', text }
}

function call(name: string, args: JsonObject): Move {
  return { type: 'call', name, args }
}
