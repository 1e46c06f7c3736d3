// The events of a turn as chunks: a state machine from watched events to text, without I/O.
import type { PartialText } from '#core/bus.ts'
import type { AppError } from '#core/errors.ts'
import type { Thought } from '#core/event.ts'
import { type Entry, isAssistantMessage } from '#core/item.ts'
import type { Turn, Usage } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import { errorEnvelope } from '#doors/openai/error-envelope.ts'
import { createBeginnings } from '#doors/openai/stopped-answer.ts'
import { isGivenUp } from '#doors/openai/turn-events.ts'
import { eventJson } from '#http/sse.ts'
import { GrowingText } from '#lib/growing-text.ts'
import { unixTime } from '#http/wire-format.ts'
import type { Watched } from '#turns/watch.ts'
import { gateWords } from './gate-words.ts'
import { completionUsage, createTeller, faultOf, finishReason, statusOfFault, toolCall } from './told.ts'

export type ChunkParts = {
  readonly id: string
  readonly createdAt: number
  readonly model: string
  readonly includeUsage: boolean
}

/** Writes chunks. Only the text of a delta is encoded; the rest of the chunk is the same for all. */
export function createChunkWriter({ id, createdAt, model, includeUsage }: ChunkParts) {
  const head = { id, object: 'chat.completion.chunk', created: unixTime(createdAt), model }
  const lead = `data: ${eventJson(head).slice(0, -1)},"choices":[{"index":0,"delta":`
  const usageField = includeUsage ? ',"usage":null' : ''
  const chunk = (delta: string, finish = 'null'): string =>
    `${lead}${delta},"finish_reason":${finish}}]${usageField}}\n\n`
  return {
    // Some clients (the AI SDK) take an empty string for the beginning of a text, also where only a call follows.
    role: () => chunk('{"role":"assistant","content":null}'),
    text: (text: string) => chunk(`{"content":${eventJson(text)}}`),
    reasoning: (text: string) => chunk(`{"reasoning_content":${eventJson(text)}}`),
    call: (call: ReturnType<typeof toolCall>) => chunk(eventJson({ tool_calls: [{ index: 0, ...call }] })),
    end(finish: string, usage: Usage): string {
      const last = chunk('{}', eventJson(finish))
      const counts = includeUsage
        ? `data: ${eventJson({ ...head, choices: [], usage: completionUsage(usage) })}\n\n`
        : ''
      return `${last}${counts}${done}`
    },
    fault: (fault: AppError) => `data: ${eventJson(errorEnvelope(fault, statusOfFault(fault)))}\n\n${done}`,
  }
}

const done = 'data: [DONE]\n\n'

export type StreamParts = ChunkParts & {
  readonly turn: Turn
  /** How many of the first entries are the turn's input. They are skipped. */
  readonly skip: number
  /** Sends reasoning and the progress of tools. */
  readonly progress: boolean
  /** The address of the thread's page. */
  readonly link: string
}

export interface Stream {
  /** The chunks of a batch of events: whole chunks only, possibly none. */
  write(events: readonly Watched[]): string
  /** The turn once it rests. Nothing is written after it but `end`. */
  rest(): Turn | undefined
  /** All text so far. A turn that waits tells the words of its gates at its end. */
  content(): string
  /** The text that a client which leaves now may have: all of it, or all but the last few pieces. */
  beginnings(): string[]
  /** The first chunk. */
  begin(): string
  /** The last chunks. */
  end(): string
}

export function createStream({ turn, skip, progress, link, ...parts }: StreamParts): Stream {
  const chunks = createChunkWriter(parts)
  const teller = createTeller(turn)
  let inputsLeft = skip
  const beginnings = createBeginnings()
  /** The message that is being written, and the length of what was written of it. */
  let open: { readonly id: string; length: number } | undefined
  const finished = new Set<string>()
  /** Reasoning that was sent as it came, by item. */
  const thoughts = new Map<string, { readonly sent: GrowingText; ended: boolean }>()
  let rest: Turn | undefined

  /** A piece of reasoning. A stream that joined too late for the beginning sends all of it when it is stored. */
  function think({ itemId, offset, text }: Thought): string {
    const thought = thoughts.get(itemId) ?? (offset === 0 ? { sent: new GrowingText(), ended: false } : undefined)
    if (!thought) return ''
    thoughts.set(itemId, thought)
    const piece = thought.sent.length === 0 ? text.trimStart() : text
    thought.sent.add(piece)
    return piece === '' ? '' : chunks.reasoning(piece)
  }

  /** Ends the line of reasoning that the text follows. */
  function endThoughts(): string {
    const open = [...thoughts.values()].filter(({ sent, ended }) => sent.length > 0 && !ended)
    for (const thought of open) thought.ended = true
    return open.map(() => chunks.reasoning('\n')).join('')
  }

  /** The unsent rest of reasoning that is stored now. */
  function restOfThought(entryId: string, whole: string): string {
    const thought = thoughts.get(entryId)
    if (!thought || thought.sent.length === 0) return whole
    if (thought.ended) return ''
    thought.ended = true
    return whole.startsWith(thought.sent.toString()) ? whole.slice(thought.sent.length) : '\n'
  }

  function say(text: string): string {
    beginnings.add(text)
    return chunks.text(text)
  }

  /** Text of a message. Messages are paragraphs. */
  function more(entryId: string, text: string): string {
    const isNew = open?.id !== entryId
    if (isNew && open) finished.add(open.id)
    if (isNew || !open) open = { id: entryId, length: 0 }
    open.length += text.length
    return say(isNew && beginnings.length() > 0 ? `\n\n${text}` : text)
  }

  function piece({ itemId, after, text }: PartialText): string {
    // A stream that joined too late for the message before writes both when they are stored.
    if (after !== undefined && open?.id !== itemId && open?.id !== after) return ''
    return open?.id === itemId ? more(itemId, text) : endThoughts() + more(itemId, text)
  }

  function writeEntry(entry: Entry): string {
    if (entry.turnId !== turn.id) return ''
    if (inputsLeft > 0) {
      inputsLeft -= 1
      return ''
    }
    const { text, reasoning } = teller.add(entry.item)
    if (reasoning !== '') {
      const left = restOfThought(entry.id, reasoning)
      return progress && left !== '' ? chunks.reasoning(left) : ''
    }
    if (text === '' || finished.has(entry.id)) return ''
    const written = open?.id === entry.id ? open.length : 0
    const left = text.length > written ? more(entry.id, text.slice(written)) : ''
    finished.add(entry.id)
    open = undefined
    return left
  }

  function isNextMessage({ id, item }: Entry): boolean {
    return isAssistantMessage(item) && !finished.has(id)
  }

  function writeOne(watched: Watched): string {
    if (open && isGivenUp(watched, turn.id, open.id, isNextMessage)) {
      rest = { ...turn, status: 'failed', error: { code: 'turn_interrupted', message: interrupted } }
      return ''
    }
    switch (watched.type) {
      case 'delta':
      case 'snapshot':
        return watched.turnId === turn.id && watched.text !== '' ? piece(watched) : ''
      case 'entries':
        return watched.entries.map(writeEntry).join('')
      case 'turn': {
        if (watched.turn.id !== turn.id || !isAtRest(watched.turn.status)) return ''
        rest = watched.turn
        if (rest.status !== 'waiting') return ''
        const words = gateWords(teller.state().gates, link)
        return say(beginnings.length() === 0 ? words : `\n\n${words}`)
      }
      case 'thought':
        return progress && watched.turnId === turn.id ? think(watched) : ''
      case 'progress':
        return ''
      default:
        return watched satisfies never
    }
  }

  return {
    begin: () => chunks.role(),
    write(events) {
      let text = ''
      for (const each of events) if (!rest) text += writeOne(each)
      return text
    },
    end() {
      const ended = rest ?? turn
      const fault = faultOf(ended)
      if (fault) return chunks.fault(fault)
      const state = teller.state()
      const call = state.call ? chunks.call(toolCall(state.call)) : ''
      return call + chunks.end(finishReason(ended, state), ended.usage)
    },
    rest: () => rest,
    content: () => beginnings.text(),
    beginnings: () => beginnings.all(),
  }
}

const interrupted = 'the process that wrote this was lost: the turn goes on elsewhere; ask again for its result'
