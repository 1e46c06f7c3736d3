// What a thread is made of: items, appended and never changed.
import type { Json } from './json.ts'

/** A piece of a message. Files arrive as text; an image is a URL or a data URL. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'file'; readonly name: string; readonly text: string }

export type Message = {
  readonly type: 'message'
  readonly role: 'user' | 'assistant'
  readonly content: readonly Part[]
}
export type Reasoning = { readonly type: 'reasoning'; readonly text: string; readonly opaque?: string }
/** A call the model made. `args` is an object, or the raw text where the model wrote no valid JSON object. */
export type Call = { readonly type: 'call'; readonly callId: string; readonly name: string; readonly args: Json }
/** Recorded before a tool runs, so that a crash in mid-run is known. */
export type Attempt = { readonly type: 'attempt'; readonly callId: string }
/** What came of a call that the service ran or refused. `origin` is set when the text came from outside. */
export type Result = {
  readonly type: 'result'
  readonly callId: string
  readonly output: string
  readonly error?: true
  readonly origin?: string
}
/** A call that waits for somebody. Carries the call's name and arguments, so that it can be shown alone. */
export type Gate = {
  readonly type: 'gate'
  readonly callId: string
  readonly kind: 'approval' | 'output' | 'credential'
  readonly name: string
  readonly args: Json
  readonly prompt: string
}
/** What was said to a gate. An answer `output` closes its call by itself: no result follows. */
export type Answer = {
  readonly type: 'answer'
  readonly callId: string
  readonly decision: 'allow' | 'deny' | 'output'
  readonly output?: string
  readonly by: string
}
/** Stands for everything up to a seq, when history is compacted. */
export type Summary = { readonly type: 'summary'; readonly text: string; readonly upTo: number }

export type Item = Message | Reasoning | Call | Attempt | Result | Gate | Answer | Summary

/** An item before it is stored: the id is minted where the item is made, since deltas name it earlier. */
export type Draft = { readonly id: string; readonly item: Item }

/** An item in its place: `seq` counts from 1 within the thread, without gaps. */
export type Entry = Draft & { readonly seq: number; readonly turnId: string; readonly at: number }

/** A message of one text. */
export function textMessage(role: 'user' | 'assistant', text: string): Message {
  return { type: 'message', role, content: [{ type: 'text', text }] }
}

/** The readable text of a message. */
export function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'image' ? '' : part.text)).join('')
}
