// The offline model: a few rules that let every door answer on a machine without a key and without a network.
import { type Item, textOf } from '#core/item.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { fillAnswer, freeText } from './offline-fill.ts'
import { isoDay } from './offline-read.ts'
import { asking, type Move, understand } from './offline-rules.ts'
import { phrase, refusal } from './offline-say.ts'

const windowTokens = 100_000
const charsPerToken = 4
/** Only the start of a message is understood. */
const maxMessageChars = 2_000
/** Questions in one message, and messages that one question may take. */
const maxParts = 5
const startsQuestion = /^(?:what|who|when|where|how|is|will|tell|show|calculate)\b/i

/** `clock` tells what day it is, and the time where no `time` tool is offered. */
export function createOfflineModel({ clock = Date.now }: { clock?: () => number } = {}): Model {
  return {
    provider: 'offline',
    name: 'offline',
    window: windowTokens,
    byRule: true,
    async *stream(request, signal) {
      signal.throwIfAborted()
      let written = ''
      for (const move of decide(request, clock())) {
        const text = move.type === 'call' ? JSON.stringify(move.args) : move.text
        written += text
        if (move.type === 'call') yield [{ type: 'call', name: move.name, args: text }]
        else for (const word of text.match(/\s*\S+\s*/g) ?? []) yield [{ type: 'text', text: word }]
      }
      const tokens = (text: string) => Math.ceil(text.length / charsPerToken)
      const inputTokens = tokens(request.system + request.items.map(readable).join(''))
      yield [{ type: 'done', usage: { ...noUsage, inputTokens, outputTokens: tokens(written) } }]
    },
  }
}

/** The whole of the model's judgement: calls, or one reply. Results since the last message end the turn. */
export function decide({ items, tools, format }: ModelRequest, now: number): readonly Move[] {
  const last = items.findLastIndex((item) => item.type === 'message' && item.role === 'user')
  const results = items.slice(last + 1).filter((item) => item.type === 'result')
  const message = heard(items[last])
  const understood = new Map<string, Move | undefined>()
  const moves = movesFor(items.slice(0, last + 1), (text) => {
    if (!understood.has(text)) understood.set(text, understand(text, tools, now))
    return understood.get(text)
  })
  const calls = moves.filter((move) => move.type === 'call')
  if (results.length === 0 && calls.length > 0) return calls
  const told = results.map((result) => {
    const call = items.findLast((item) => item.type === 'call' && item.callId === result.callId)
    return phrase(result, call?.type === 'call' ? call.name : 'The tool', message)
  })
  // What was no call is said at the end, unless the tools are others by now: then it would not be the same.
  const said = moves.flatMap((move) => (move.type === 'call' || calls.length !== results.length ? [] : move.text))
  const text = [...said, ...told].join('\n\n')
  if (format === undefined) return [{ type: 'say', text }]
  const known = [...told, message].join(' ').slice(0, maxMessageChars)
  const answer = fillAnswer(format.schema, { message: known, today: isoDay(now), reply: text })
  return [{ type: 'say', text: JSON.stringify(answer) }]
}

type Understand = (text: string) => Move | undefined

/** Understood by itself, as one more question like the last, or as the answer to our own question. */
function movesFor(items: readonly Item[], move: Understand): readonly Move[] {
  const messages = items.filter((item) => item.type === 'message').slice(-2 * maxParts)
  const message = heard(messages.at(-1))
  const moves = inParts(message, move)
  if (moves.length > 0) return moves
  const before = heard(messages.findLast((item, at) => item.role === 'user' && at < messages.length - 1))
  const more = /^(?:and|what about|how about)\b(?: (?:in|for|of|at)\b)? (.+?)[\s?.!]*$/is.exec(message)?.[1]
  const asked = messages.findLastIndex((item) => item.role === 'assistant' && !readable(item).includes(asking)) + 1
  const story = messages.slice(startsQuestion.test(message) ? -1 : asked).filter(({ role }) => role === 'user')
  const readings = more === undefined ? [] : [leadOf(before) + more, `${more} ${before}`]
  const read = (story.length > 1 ? [story.map(heard).join(' ')] : readings).map((text) => inParts(text, move))
  const found = read.find((each) => each.some(({ type }) => type === 'call')) ?? read[0]
  return found?.some(({ type }) => type !== 'say') ? found : [{ type: 'say', text: refusal(message) }]
}

/** A move for each question of a message; none where nothing was understood. */
function inParts(message: string, move: Understand): readonly Move[] {
  const text = message.replace(/^(?:hi|hello|hey|ok|okay|so)\b[\s,.!]+(?=\S)/i, '')
  const whole = move(text) ?? move(message)
  const sentences = text.split(/(?<=\?)\s+|(?<=[.!;,\n])\s*(?=(?:and |please )?(?:what|who|when|where|how|is|will)\b)/i)
  const moves = sentences.slice(0, maxParts).map((sentence) => listed(sentence, move))
  const known = moves.flat()
  // "I am in Oslo. How is the weather?": only together do they say enough.
  const isTogether = sentences.length > 1 && whole?.type === 'call' && known.some(({ type }) => type === 'ask')
  if (known.length === 0 || isTogether) return whole ? [whole] : []
  const missed = sentences.filter((sentence, at) => !moves[at]?.length && sentence.endsWith('?'))
  return [...known, ...missed.map((sentence): Move => ({ type: 'say', text: `"${sentence}": ${refusal(sentence)}` }))]
}

/** "the time in Tokyo and London", "2+2 and what day is it": each by itself, if all are understood so. */
function listed(sentence: string, move: Understand): readonly Move[] {
  const whole = move(sentence)
  const pieces = sentence.split(/ and [^,]*$/i.test(sentence) ? /,? and |, /i : / and /i)
  const isFreeText = whole?.type === 'call' && Object.keys(whole.args).some((name) => freeText.test(name))
  const moves = pieces.slice(0, maxParts).map((piece, at) => {
    if (at > 0 && isFreeText && !startsQuestion.test(piece)) return undefined
    const more = at > 0 ? move(leadOf(pieces[0] ?? '') + piece) : undefined
    return move(piece) ?? (more?.type === 'call' ? more : undefined)
  })
  const known = moves.flatMap((each) => (each === undefined || each.type === 'say' ? [] : [each]))
  const isList = known.length === pieces.length && known.some(({ type }) => type === 'call')
  return isList ? known : whole ? [whole] : []
}

/** Up to the last word that leads to a place or a number. */
function leadOf(text: string): string {
  return /^.*\b(?:in|for|of|at) /is.exec(text)?.[0] ?? ''
}

/** The user's own words, without the blocks that the service puts ahead of them. */
function heard(item: Item | undefined): string {
  const own = readable(item).replace(/^(?:\s*<(instructions|user-context)>[\s\S]*?<\/\1>)*/, '')
  return own.trim().slice(0, maxMessageChars)
}

function readable(item: Item | undefined): string {
  if (item?.type === 'message') return textOf(item)
  return item?.type === 'result' ? item.output : item?.type === 'call' ? item.args : ''
}
