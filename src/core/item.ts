// What a thread is made of: items, appended and never changed.
import type { Credential } from './errors.ts'
import type { Asked, Reach } from './question.ts'
import type { Effects, Sent } from './tool.ts'
import type { ModelCall } from './turn.ts'

/**
 * A piece of a message. Files arrive as text; an image is a URL or a data URL. A text with an `origin` came from outside:
 * it is not its sender's own word. No text is stored in a fence: the prompt puts it there.
 */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly origin?: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'file'; readonly name: string; readonly text: string }

export type Message = {
  readonly type: 'message'
  readonly role: 'user' | 'assistant'
  readonly content: readonly Part[]
  /** The model was stopped before it had said all of it. */
  readonly cut?: true
}
/** One block of a model's reasoning. `seal`, also on calls, is the stored name of the provider's signature. */
export type Reasoning = { readonly type: 'reasoning'; readonly text: string; readonly seal?: string }
/** A call the model made. `args` is the text it wrote, kept letter by letter: whoever looks into it parses a copy. */
export type Call = {
  readonly type: 'call'
  readonly callId: string
  readonly name: string
  readonly args: string
  readonly seal?: string
}
/** Recorded before a tool runs, so that a crash in mid-run is known. */
export type Attempt = { readonly type: 'attempt'; readonly callId: string }
/** What came of a call that the service ran or refused. `origin` is set when the text came from outside. */
export type Result = {
  readonly type: 'result'
  readonly callId: string
  readonly output: string
  readonly error?: true
  readonly origin?: string
  /** What the call did, as its tool tells it. */
  readonly effects?: Effects
  /** Where requests went, which and how often, and the names of the secrets that went with them. */
  readonly hosts?: readonly string[]
  readonly sent?: readonly (Sent & { readonly times: number })[]
  readonly secrets?: readonly string[]
  /** The rules by which a secret was kept from going out. */
  readonly leaks?: readonly string[]
}
/** A call that waits for somebody. Carries the call's name and arguments, so that it can be shown alone. */
export type Gate = {
  readonly type: 'gate'
  readonly callId: string
  readonly kind: 'approval' | 'output' | 'credential'
  readonly name: string
  readonly args: string
  readonly prompt: string
  /** Why the policy asks. */
  readonly reason?: string
  /** The same for the person who decides: what the call does, and what was read before it. */
  readonly why?: string
  /** What an approval asks, as its tool told it, and what the call is aimed at. Gates of earlier versions have none. */
  readonly asks?: Asked & { readonly reach?: Reach }
  /** Where the untrusted text came from that the model had read: such a call can only be allowed once. */
  readonly taint?: string
  /** The names of the secrets that would go with its requests. */
  readonly secrets?: readonly string[]
  /** What a sign-in must bring; once it is there the turn goes on by itself. */
  readonly credential?: Credential
}
/**
 * What was said to a gate. An answer `output` closes its call by itself: no result follows. With a `scope` it also
 * stands for later calls, of this tool or of this tool with the same target, up to `until`.
 */
export type Answer = {
  readonly type: 'answer'
  readonly callId: string
  readonly decision: 'allow' | 'deny' | 'output'
  readonly output?: string
  readonly by: string
  readonly scope?: 'tool' | 'target'
  readonly until?: number
}
/** Stands for everything up to a seq, when history is compacted. `origin` is set when that held text from outside. */
export type Summary = {
  readonly type: 'summary'
  readonly text: string
  readonly upTo: number
  readonly origin?: string
}

export type Item = Message | Reasoning | Call | Attempt | Result | Gate | Answer | Summary

/**
 * An item before it is stored: the id is minted where the item is made, since deltas name it earlier. The first of what a
 * model made in one go has what that took.
 */
export type Draft = { readonly id: string; readonly item: Item; readonly asked?: ModelCall }

/** An item in its place: `seq` counts from 1 within the thread, without gaps. */
export type Entry = Draft & { readonly seq: number; readonly turnId: string; readonly at: number }

/** A message of one text. */
export function textMessage(role: 'user' | 'assistant', text: string, files: readonly Part[] = []): Message {
  return { type: 'message', role, content: [{ type: 'text', text }, ...files] }
}

/** The readable text of a message. */
export function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'image' ? '' : part.text)).join('')
}
