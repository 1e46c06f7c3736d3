// The events of a turn as Server-Sent Events: a state machine from what happens to text, without any I/O.
import type { PartialText } from '#core/bus.ts'
import { hexOf } from '#core/ids.ts'
import { type Entry, type Gate, textOf } from '#core/item.ts'
import type { Turn, TurnError } from '#core/turn.ts'
import type { Watched } from '#turns/watch.ts'
import { itemId, messageOutput, type OutputItem, outputItem, pausing, responseObject, wireStatus } from './output.ts'

/** The five types of the specification and response.failed: nothing else is ever told. */
type EventType =
  | 'response.created'
  | 'response.output_item.added'
  | 'response.output_text.delta'
  | 'response.output_item.done'
  | 'response.completed'
  | 'response.failed'

export type StreamParts = {
  readonly turn: Turn
  readonly model: string
  /** Entries of the turn that will come first and are its input. */
  readonly skip: number
  /** Events up to this number are left out; the last event never is. */
  readonly after?: number
}

export interface Stream {
  /** The first event. */
  created(): string
  /** What a batch of events adds; the text holds whole events only, and may be empty. */
  tell(events: readonly Watched[]): string
  /** True once the last event has been told. */
  readonly over: boolean
}

const interrupted: TurnError = {
  code: 'turn_interrupted',
  message:
    'the process that wrote this was lost: the turn goes on elsewhere, and GET of this response shows its result',
}

/** A message that is being written: how its deltas begin, and what they have said. */
type Open = {
  readonly entryId: string
  readonly id: string
  readonly index: number
  readonly lead: string
  text: string
}

export function createStream({ turn, model, skip, after = -1 }: StreamParts): Stream {
  const threadHex = hexOf(turn.threadId)
  const output: OutputItem[] = []
  /** Texts that were told to their end before their response was stored. */
  const whole = new Set<string>()
  let next = 0
  let inputs = skip
  let open: Open | undefined
  let gate: Gate | undefined
  let over = false

  /** `fields` is JSON text, as it stands behind the number. */
  function event(type: EventType, fields: string): string {
    const number = next++
    return number > after ? `${lead(type)}${number},${fields}}\n\n` : ''
  }

  function openMessage(entryId: string): string {
    const index = output.length
    const id = itemId('msg', entryId, threadHex)
    const item = messageOutput(id, '', 'in_progress')
    output.push(item)
    const place = `"item_id":"${id}","output_index":${index},"content_index":0,"logprobs":[],`
    open = { entryId, id, index, lead: lead('response.output_text.delta', place), text: '' }
    return event('response.output_item.added', itemFields(index, item))
  }

  /** The hot path: one event for each delta, around the JSON of its text. */
  function delta(entryId: string, text: string): string {
    const before = open?.entryId === entryId ? '' : openMessage(entryId)
    const message = open as Open
    message.text += text
    const number = next++
    return number > after ? `${before}${message.lead}${number},"delta":${json(text)}}\n\n` : before
  }

  /** Text that follows on another ends it. Who came too late for the other hears of both when they are stored. */
  function piece({ itemId: entryId, after: before, text }: PartialText): string {
    if (open?.entryId === entryId || before === undefined) return delta(entryId, text)
    if (open?.entryId !== before) return ''
    whole.add(before)
    return closeMessage(open, messageOutput(open.id, open.text, 'completed')) + delta(entryId, text)
  }

  function closeMessage({ index }: Open, item: OutputItem): string {
    output[index] = item
    open = undefined
    return event('response.output_item.done', itemFields(index, item))
  }

  /** Text that was told but will not be stored: its process was lost, or the turn taken from it. */
  function breakOff(): string {
    return open ? closeMessage(open, messageOutput(open.id, open.text, 'incomplete')) : ''
  }

  /**
   * True when text was told whose attempt was given up: the turn is back in the queue, or says something else. The model
   * is asked again, and what it says then is not the rest of what was told.
   */
  function interrupts(told: Watched): boolean {
    if (!open) return false
    switch (told.type) {
      case 'delta':
      case 'snapshot':
        return told.turnId === turn.id && told.itemId !== open.entryId && told.after !== open.entryId
      case 'entries': {
        const next = told.entries.find(
          (each) => each.turnId === turn.id && !whole.has(each.id) && outputItem(each, threadHex),
        )
        return next !== undefined && next.id !== open.entryId
      }
      case 'turn':
        return told.turn.id === turn.id && told.turn.status === 'queued'
      default:
        return told satisfies never
    }
  }

  function entry(told: Entry): string {
    if (told.turnId !== turn.id) return ''
    if (inputs > 0) {
      inputs -= 1
      return ''
    }
    if (pausing(told.item)) gate = told.item
    const item = outputItem(told, threadHex)
    if (!item || whole.has(told.id)) return ''
    if (told.item.type !== 'message') {
      const fields = itemFields(output.push(item) - 1, item)
      return event('response.output_item.added', fields) + event('response.output_item.done', fields)
    }
    const text = textOf(told.item)
    let events = open?.entryId === told.id ? '' : openMessage(told.id)
    const message = open as unknown as Open
    // Whatever the deltas did not bring, all of it in a replay, comes as one.
    if (text.length > message.text.length) events += delta(told.id, text.slice(message.text.length))
    events += closeMessage(message, item)
    return events
  }

  function end(ended: Turn): string {
    const before = breakOff()
    over = true
    next = Math.max(next, after + 1)
    const type = wireStatus(ended) === 'completed' ? 'response.completed' : 'response.failed'
    const response = responseObject({ turn: ended, model, output, gate })
    return before + event(type, `"response":${json(response)}`)
  }

  function tellOne(told: Watched): string {
    if (interrupts(told)) return end({ ...turn, status: 'failed', error: interrupted })
    switch (told.type) {
      case 'delta':
      case 'snapshot':
        return told.turnId === turn.id && told.text !== '' ? piece(told) : ''
      case 'entries':
        return told.entries.map(entry).join('')
      case 'turn':
        return told.turn.id === turn.id && wireStatus(told.turn) !== 'in_progress' ? end(told.turn) : ''
      default:
        return told satisfies never
    }
  }

  return {
    created() {
      const { endedAt: _, error: __, ...begun } = turn
      const response = responseObject({ turn: { ...begun, status: 'running' }, model, output: [] })
      return event('response.created', `"response":${json(response)}`)
    },
    tell(events) {
      let text = ''
      for (const each of events) if (!over) text += tellOne(each)
      return text
    },
    get over() {
      return over
    },
  }
}

function lead(type: EventType, fields = ''): string {
  return `event: ${type}\ndata: {"type":"${type}",${fields}"sequence_number":`
}

function itemFields(index: number, item: OutputItem): string {
  return `"output_index":${index},"item":${json(item)}`
}

/** JSON without the line ends of Unicode: some readers of lines would break an event at one. */
function json(value: unknown): string {
  const text = JSON.stringify(value)
  if (!/[\u0085\u2028\u2029]/.test(text)) return text
  return text.replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
