// The offline model: a few rules, so that every door answers without an API key and without a network.
import { AppError } from '#core/errors.ts'
import { isUserMessage, type Item, type Message, textOf } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import { charsPerToken } from '#core/tokens.ts'
import type { ToolSpec } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { withoutBlocks } from '#safety/fence.ts'
import { fillParameters } from './offline-fill.ts'
import { connectHint, greeting, help, phrase, refusal } from './offline-say.ts'
import { fillers, meaningOf, readingVerbs, setOf, sumIn, timezoneIn, trimmed, wordsOf } from './offline-words.ts'
import { trialQuestion } from './trial.ts'

export type Move =
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: JsonObject }

const reply = (text: string): Move => ({ type: 'reply', text })
const call = (name: string, args: JsonObject): Move => ({ type: 'call', name, args })

const windowTokens = 100_000
/** A message and a tool's description are read to this length. */
const maxReadChars = 4_000
const maxNoteName = 60
/** The start of our questions. The message after a question is read as its answer. */
const questionPrefix = 'To use '
/** The score of a tool for each word of its name that the message has, if it has all of them. */
const namedScore = 100

const helpWords = /^(?:please )?help\b|^what (?:can|do) you do\b|\b(?:which|what|your) tools?\b/i
const greetingWords = /^\W*(?:$|(?:hi|hello|hey|good (?:morning|evening))\b|(?:who|what|how) are you\b)|\breal model\b/i
const rememberWords = /^(?:please )?(?:remember|note|don['’]?t forget)(?: that)?[:,]? (.+)/is
/** "Remind me in an hour to call Ada". A person is asked before anything is created. */
const remindWords = /^(?:please )?remind me (?!to )(.{1,120}?) to (.{1,2000})$/is
/** "Remind me to call Ada in an hour": the time comes last. */
const remindToWords =
  /^(?:please )?remind me to (.{1,2000}?),? (in (?:an?|one|two|three|half an?|\d{1,9}) ?[a-z]{1,8}|(?:(?:today|tomorrow|(?:on |next |this )?[a-z]{3,6}day) )?at (?:[\d:]{1,5} ?(?:am|pm)?|noon|midnight)|every [a-z\d :]{1,80})[.!?\s]*$/is
/** The prompt of such a mission. Its runs answer with the reminder. */
const reminderPrompt = 'Reply with this reminder:'
const reminderWords = /^reply with this reminder: (.{1,2000}?)(?:\n\n|$)/is
const maxTitleChars = 80
const recallWords = /\b(?:remember|recall|know about)\b|^(?:what|who|where|when|which)\b.*\bmy\b/is
const beforeQuery = /^.*\b(?:remember|recall|know)\b/is
/** The start of a new request, which is no answer to our question. */
const requestWords = /^(?:what|who|when|where|how|is|will|tell|show|calculate|write|make)\b/i
const code = /```[^]*?(?:```|$)/g
/** Verbs that change something, anywhere in a tool's name or description. */
const writingVerbs =
  setOf(`write create insert update edit modify save delete remove erase send notify publish reply pay
  execute shell deploy install buy purchase refund upload rename submit revoke invite append replace kill restart`)
/** Verbs that may also be nouns. They count in a name without a reading verb first, and as a description's first word. */
const startingVerbs =
  setOf(`add set put post store drop clear cancel stop start run order book reserve charge transfer move
  schedule sign approve trigger toggle turn switch enable disable lock unlock open close merge push commit email message`)

export function createOfflineModel(): Model {
  const tokens = (text: string) => Math.ceil(text.length / charsPerToken)
  return {
    provider: 'offline',
    name: 'offline',
    window: windowTokens,
    byRule: true,
    async *stream(request, signal) {
      signal.throwIfAborted()
      if (request.format) throw new AppError('model_refused', `the offline model cannot write JSON. ${connectHint}`)
      const move = decide(request)
      const text = move.type === 'call' ? JSON.stringify(move.args) : move.text
      if (move.type === 'call') yield [{ type: 'call', name: move.name, args: text }]
      else for (const word of text.match(/\s*\S+\s*/g) ?? []) yield [{ type: 'text', text: word }]
      const inputTokens = tokens(request.system + request.items.map(readable).join(''))
      yield [{ type: 'done', usage: { ...noUsage, inputTokens, outputTokens: tokens(text) } }]
    },
  }
}

/** Tool results end the turn. A message that no rule knows is read again together with the ones before our question. */
export function decide({ items, tools }: ModelRequest): Move {
  const last = items.findLastIndex(isUserMessage)
  const results = items.slice(last + 1).filter((item) => item.type === 'result')
  const names = new Map(items.flatMap((item) => (item.type === 'call' ? [[item.callId, item.name]] : [])))
  if (results.length > 0) return reply(results.map((result) => phrase(result, names.get(result.callId))).join('\n\n'))
  const messages = items.slice(0, last + 1).filter((item) => item.type === 'message')
  const from =
    messages.findLastIndex((each) => each.role === 'assistant' && !textOf(each).startsWith(questionPrefix)) + 1
  const userTexts = messages.slice(from).flatMap((each) => (each.role === 'user' ? ownWords(each) : []))
  const message = userTexts.at(-1) ?? ''
  const whole = requestWords.test(message) ? message : userTexts.join(' ').slice(0, maxReadChars)
  const known = tools.map((tool) => ({ ...tool, description: tool.description.slice(0, maxReadChars) }))
  return applyRules(message, known) ?? applyRules(whole, known) ?? reply(refusal)
}

/** The user's own words: the last text of a message, without the service's blocks, attached files and code. */
function ownWords({ content }: Message): string {
  const own = content.map((part) =>
    part.type === 'text' && part.origin === undefined
      ? withoutBlocks(part.text).slice(0, maxReadChars).replaceAll(code, ' ')
      : '',
  )
  return own.findLast((text) => text.trim() !== '')?.trim() ?? ''
}

function readable(item: Item): string {
  if (item.type === 'message') return textOf(item)
  return item.type === 'result' ? item.output : item.type === 'call' ? item.args : ''
}

/** The move of the first rule that matches the message. */
function applyRules(message: string, tools: readonly ToolSpec[]): Move | undefined {
  const offered = (name: string) => tools.some((tool) => tool.name === name)
  if (message === trialQuestion) return reply('ready')
  if (helpWords.test(message)) return reply(help(tools.filter((tool) => !isWriting(tool))))
  const fact = rememberWords.exec(message)?.[1]
  // Facts that begin alike are appended to one note.
  const path = `notes/${wordsOf(fact?.slice(0, maxNoteName) ?? '').join('-') || 'note'}.md`
  if (fact && offered('memory_write')) return call('memory_write', { path, content: fact, append: true })
  const reminder = reminderWords.exec(message)?.[1]
  if (reminder) return reply(`Reminder: ${reminder}`)
  const wanted = offered('mission_create') ? reminderIn(message) : undefined
  if (wanted) return call('mission_create', wanted)
  const best = bestMatch(message, tools)
  if (best && best.score >= namedScore) return callTool(best.tool, message)
  const expression = sumIn(message)
  if (expression && offered('calculate')) return call('calculate', { expression })
  const timezone = timezoneIn(message)
  if (timezone !== undefined && offered('time')) return call('time', timezone === '' ? {} : { timezone })
  const query = recallWords.test(message) ? trimmed(message.replace(beforeQuery, '')) : undefined
  if (query && offered('memory_search')) return call('memory_search', { query })
  if (query === '' && offered('memory_list')) return call('memory_list', {})
  if (best) return callTool(best.tool, message)
  return greetingWords.test(message) ? reply(greeting) : undefined
}

/** The tool that the message clearly matches. Among equals the last one: a caller's tools follow the service's own. */
function bestMatch(message: string, tools: readonly ToolSpec[]) {
  const words = new Set([...meaningOf(message)].filter((word) => readingVerbs.has(word) || !fillers.has(word)))
  const others = tools.filter(({ name }) => name !== 'time' && name !== 'calculate').toReversed()
  const scored = others.map((tool) => ({ tool, score: scoreOf(tool, words) })).filter(({ score }) => score > 0)
  return scored.toSorted((a, b) => b.score - a.score)[0]
}

/** A clear match: the message names the tool's subject, or shares two words with the description, half of its own. */
function scoreOf({ name, description }: ToolSpec, words: ReadonlySet<string>): number {
  const nameWords = setOf(name)
  const subject = nameWords.isSubsetOf(fillers) ? nameWords : nameWords.difference(fillers)
  const shared = setOf(`${name} ${description}`).intersection(words).size
  if (subject.isSubsetOf(words)) return namedScore * subject.size + shared
  return shared >= 2 && shared * 2 >= words.size ? shared : 0
}

function callTool(tool: ToolSpec, message: string): Move {
  const isChange = isWriting(tool) || writingVerbs.has(wordsOf(message)[0] ?? '')
  if (isChange) return reply(`I never guess at requests that change or send something. ${connectHint}`)
  const { args, missing } = fillParameters(tool, message)
  if (missing.length === 0) return call(tool.name, args)
  return reply(`${questionPrefix}${tool.name} I still need: ${missing.join('; ')}. Please tell me.`)
}

function isWriting({ name, description }: ToolSpec): boolean {
  const [nameWords, descriptionWords] = [wordsOf(name), wordsOf(description)]
  if ([...nameWords, ...descriptionWords].some((word) => writingVerbs.has(word))) return true
  return [...(readingVerbs.has(nameWords[0] ?? '') ? [] : nameWords), ...descriptionWords.slice(0, 1)].some((word) =>
    startingVerbs.has(word),
  )
}

function reminderIn(message: string): JsonObject | undefined {
  const [, task = '', schedule = ''] = remindToWords.exec(message) ?? swapped(remindWords.exec(message)) ?? []
  if (task === '') return undefined
  const what = trimmedEnd(task.charAt(0).toUpperCase() + task.slice(1))
  return { title: what.slice(0, maxTitleChars).toWellFormed(), schedule, prompt: `${reminderPrompt} ${what}.` }
}

function swapped(found: readonly string[] | null): readonly string[] | undefined {
  return found ? [found[0] ?? '', found[2] ?? '', found[1] ?? ''] : undefined
}

function trimmedEnd(text: string): string {
  let end = text.length
  while (end > 0 && /[.!?\s]/.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}
