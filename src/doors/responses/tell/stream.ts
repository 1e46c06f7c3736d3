// The events of a turn as Server-Sent Events: a state machine from watched events to text, without I/O.
import type { PartialText } from '#core/bus.ts'
import { hexOf } from '#core/ids.ts'
import type { Entry, Gate } from '#core/item.ts'
import { minLongChars, roughChars } from '#core/json-slices.ts'
import type { Turn, TurnError } from '#core/turn.ts'
import { createBeginnings } from '#doors/openai/stopped-answer.ts'
import { isGivenUp } from '#doors/openai/turn-events.ts'
import { eventJson } from '#http/sse.ts'
import type { Watched } from '#turns/watch.ts'
import {
  type CallOutput,
  isOutput,
  isPausingGate,
  itemId,
  type MessageOutput,
  messageOutput,
  type OutputItem,
  outputItem,
  responseObject,
  wireStatus,
} from './output.ts'
import { type EventStyle, newRecord, type StreamRecord } from './stream-records.ts'

/** The five types of the specification, and response.failed. The style `reference` adds those of arguments. */
type EventType =
  | 'response.created'
  | 'response.output_item.added'
  | 'response.output_text.delta'
  | 'response.output_item.done'
  | 'response.completed'
  | 'response.failed'
  | 'response.function_call_arguments.delta'
  | 'response.function_call_arguments.done'

export type StreamParts = {
  readonly turn: Turn
  readonly model: string
  /** How many of the first entries are the turn's input. They are skipped. */
  readonly skip: number
  readonly events?: EventStyle
  /** Events up to this sequence number are left out, but never the last event, nor events of what happens from now on. */
  readonly after?: number
  /** The events of an earlier stream that the client has, up to `after`: this stream continues there. */
  readonly record?: StreamRecord | undefined
  /** Writes the values of events, of about so many characters. */
  readonly json?: (value: unknown, chars: number) => string
}

export interface Stream {
  /** The first event. */
  created(): string
  /** The text of a batch of events: whole events only, possibly none. */
  write(events: readonly Watched[]): string
  /** True once the last event has been written. */
  isOver(): boolean
  /** The text that a client which leaves now may have. */
  beginnings(): string[]
  /** The state so far, for a stream that continues from it. */
  readonly record: StreamRecord
}

/** The JSON of an item without its text. */
const itemChars = 200

const interrupted: TurnError = {
  code: 'turn_interrupted',
  message:
    'the process that wrote this was lost: the turn goes on elsewhere, and GET of this response shows its result',
}

/**
 * A message that is being written. `lead` begins each of its delta events, `start` is where its text starts in that of the
 * answer. `had` is the length of the text that the client has from an earlier stream; `ends` are the lengths after each delta.
 */
type Open = {
  readonly entryId: string
  readonly id: string
  readonly index: number
  readonly lead: string
  readonly start: number
  readonly had: number
  readonly ends: number[]
}

export function createStream(given: StreamParts): Stream {
  const { turn, model, skip, after = -1, json = eventJson, ...parts } = given
  const record = parts.record ?? newRecord(turn.id, parts.events ?? 'specified')
  const threadHex = hexOf(turn.threadId)
  /** A response echoes most of its request. */
  const echoChars = roughChars(turn.options, minLongChars)
  const output: OutputItem[] = []
  /** Entry ids of messages that were written to their end before they were stored. */
  const finished = new Set<string>()
  const answer = createBeginnings()
  let next = 0
  let messages = 0
  let inputsLeft = skip
  let open: Open | undefined
  let gate: Gate | undefined
  let over = false

  /** `fields` is the JSON text after the sequence number. */
  function event(type: EventType, fields: string): string {
    const number = next++
    return number > after ? `${lead(type)}${number},${fields}}\n\n` : ''
  }

  function itemFields(index: number, item: OutputItem): string {
    return `"output_index":${index},"item":${json(item, charsOf(item))}`
  }

  function openMessage(entryId: string): string {
    const index = output.length
    const id = itemId('msg', entryId, threadHex)
    const item = messageOutput(id, '', 'in_progress')
    output.push(item)
    const position = `"item_id":"${id}","output_index":${index},"content_index":0,"logprobs":[],`
    const { ends } = (record.messages[messages++] ??= { entryId, from: next, ends: [] })
    const had = ends.at(-1) ?? 0
    const start = answer.length()
    open = { entryId, id, index, lead: lead('response.output_text.delta', position), start, had, ends }
    const added = event('response.output_item.added', itemFields(index, item))
    next += ends.length
    return added
  }

  /** The length of the text that was written of the open message. */
  function lengthOf({ start }: Open): number {
    return answer.length() - start
  }

  /** True when the client has the beginning of another message in this place: its process was lost. */
  function replacesOther(entryId: string): boolean {
    const known = open?.entryId === entryId ? undefined : record.messages[messages]
    return known !== undefined && known.entryId !== entryId
  }

  /** The hot path: one event per delta, with only its text encoded as JSON. */
  function delta(entryId: string, text: string): string {
    if (replacesOther(entryId)) return interrupt()
    const before = open?.entryId === entryId ? '' : openMessage(entryId)
    const message = open as Open
    answer.add(text)
    const written = lengthOf(message)
    const fresh = written - message.had
    if (fresh <= 0) return before
    message.ends.push(written)
    const number = next++
    if (number <= after) return before
    const unread = fresh < text.length ? text.slice(-fresh) : text
    return `${before}${message.lead}${number},"delta":${json(unread, unread.length)}}\n\n`
  }

  /**
   * Text of a message that follows another ends the other. A stream that joined too late for the other writes both when
   * they are stored.
   */
  function piece({ itemId: entryId, after: before, text }: PartialText): string {
    if (open?.entryId === entryId || before === undefined) return delta(entryId, text)
    if (open?.entryId !== before) return ''
    finished.add(before)
    return closeUnstored(open, 'completed') + delta(entryId, text)
  }

  function closeMessage({ index }: Open, item: OutputItem): string {
    output[index] = item
    open = undefined
    return event('response.output_item.done', itemFields(index, item))
  }

  /** Closes a message with the text of its deltas: it is stored later, or never, because its process was lost. */
  function closeUnstored(message: Open, status: 'completed' | 'incomplete'): string {
    return closeMessage(message, messageOutput(message.id, answer.text().slice(message.start), status))
  }

  function isNextItem(entry: Entry): boolean {
    return !finished.has(entry.id) && isOutput(entry.item)
  }

  function writeEntry(entry: Entry): string {
    if (over || entry.turnId !== turn.id) return ''
    if (inputsLeft > 0) {
      inputsLeft -= 1
      return ''
    }
    if (isPausingGate(entry.item)) gate = entry.item
    const item = isNextItem(entry) && outputItem(entry, turn)
    if (!item) return ''
    if (item.type === 'function_call') return writeCall(item)
    if (replacesOther(entry.id)) return interrupt()
    const text = textIn(item)
    let events = open?.entryId === entry.id ? '' : openMessage(entry.id)
    const message = open as Open
    // The text that no delta has carried becomes one delta. In a replay that is the whole text.
    const written = lengthOf(message)
    if (text.length > written) events += delta(entry.id, text.slice(written))
    events += closeMessage(message, item)
    return events
  }

  function writeCall(item: CallOutput): string {
    const index = output.push(item) - 1
    const done = itemFields(index, item)
    if (record.events === 'specified') {
      return event('response.output_item.added', done) + event('response.output_item.done', done)
    }
    const position = `"item_id":"${item.id}","output_index":${index}`
    const text = json(item.arguments, item.arguments.length)
    return (
      event('response.output_item.added', itemFields(index, { ...item, status: 'in_progress', arguments: '' })) +
      event('response.function_call_arguments.delta', `${position},"delta":${text}`) +
      event(
        'response.function_call_arguments.done',
        `${position},"name":${json(item.name, item.name.length)},"arguments":${text}`,
      ) +
      event('response.output_item.done', done)
    )
  }

  function interrupt(): string {
    return end({ ...turn, status: 'failed', error: interrupted })
  }

  /** Everything from now on is new to the client, whatever numbers it knows. */
  function passAfter(): void {
    next = Math.max(next, after + 1)
  }

  function end(ended: Turn): string {
    const before = open ? closeUnstored(open, 'incomplete') : ''
    over = true
    passAfter()
    const type = wireStatus(ended) === 'completed' ? 'response.completed' : 'response.failed'
    const response = responseObject({ turn: ended, model, output, gate })
    const chars = output.reduce((sum, item) => sum + charsOf(item), echoChars)
    return before + event(type, `"response":${json(response, chars)}`)
  }

  function writeOne(watched: Watched): string {
    if (!parts.record && isLive(watched, open !== undefined)) passAfter()
    if (open && isGivenUp(watched, turn.id, open.entryId, isNextItem)) return interrupt()
    switch (watched.type) {
      case 'delta':
      case 'snapshot':
        return watched.turnId === turn.id && watched.text !== '' ? piece(watched) : ''
      case 'entries':
        return watched.entries.map(writeEntry).join('')
      case 'turn':
        return watched.turn.id === turn.id && wireStatus(watched.turn) !== 'in_progress' ? end(watched.turn) : ''
      case 'thought':
      case 'progress':
        return ''
      default:
        return watched satisfies never
    }
  }

  return {
    created() {
      const { endedAt: _, error: __, ...begun } = turn
      const response = responseObject({ turn: { ...begun, status: 'running' }, model, output: [] })
      const created = event('response.created', `"response":${json(response, echoChars)}`)
      record.next = Math.max(record.next, next)
      return created
    },
    write(events) {
      let text = ''
      for (const each of events) if (!over) text += writeOne(each)
      record.next = Math.max(record.next, next)
      return text
    },
    isOver: () => over,
    beginnings: () => answer.all(),
    record,
  }
}

/** True for what happens now, not before the stream was opened. Stored entries come first, then the text so far. */
function isLive({ type }: Watched, hasOpenMessage: boolean): boolean {
  return type === 'entries' ? hasOpenMessage : type !== 'snapshot'
}

/** About as many characters as the JSON of an item has. */
function charsOf(item: OutputItem): number {
  return itemChars + (item.type === 'message' ? textIn(item) : item.arguments).length
}

function textIn({ content }: MessageOutput): string {
  return content[0]?.text ?? ''
}

function lead(type: EventType, fields = ''): string {
  return `event: ${type}\ndata: {"type":"${type}",${fields}"sequence_number":`
}
