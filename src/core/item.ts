// The items of a thread. They are appended and never changed, but a client may empty what it added before a turn reads it.
import type { Credential } from './errors.ts'
import type { FormValues, InputRequest } from './form.ts'
import type { PagesRead } from './pdf.ts'
import type { CallQuestion, Reach } from './question.ts'
import type { LoadedSkill } from './skill.ts'
import type { Effects, SentRequest } from './tool.ts'
import type { ModelCall } from './turn.ts'

/**
 * A part of a message. Files arrive as text, that of a PDF with its `pages`; an image is a URL or a data URL. A text with an `origin` came from outside,
 * not from the sender. Texts are stored without a fence; the prompt adds it. `kept`, in prompts only, is a loaded skill's.
 * A framing is the service's own text around the sender's: the prompt has it as text, and nothing else shows or finds it.
 */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly origin?: string; readonly kept?: true }
  | { readonly type: 'framing'; readonly text: string; readonly origin?: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'file'; readonly name: string; readonly text: string; readonly pages?: PagesRead }

export type OwnPart = Exclude<Part, { readonly type: 'framing' }>

/** True for what an image part may have: a web URL, or a data URL of an image. */
export function isImageUrl(url: string): boolean {
  return /^(https?:\/\/|data:image\/)/i.test(url)
}

export type Message = {
  readonly type: 'message'
  readonly role: 'user' | 'assistant'
  readonly content: readonly Part[]
  /** The model was stopped before the message was complete. */
  readonly cut?: true
  /** What a client added to its conversation that was no plain message. */
  readonly given?: Given
}

/** A user's message; one that a client added to its conversation as well. */
export function isUserMessage(item: Item): item is Message {
  return item.type === 'message' && item.role === 'user'
}

export function isAssistantMessage(item: Item): item is Message {
  return item.type === 'message' && item.role === 'assistant'
}

/**
 * A call, an output or instructions among the items that an API client added to its conversation. The model sees them as text;
 * they are no calls of the thread, so nothing runs or waits for them.
 */
export type Given =
  | { readonly type: 'call'; readonly callId: string; readonly name: string }
  | { readonly type: 'output'; readonly callId: string }
  | { readonly type: 'instructions' }

/** Stands for a message that a client removed from its conversation. */
export const removedMessage: Message = { type: 'message', role: 'assistant', content: [] }

/** True for a message that was removed. Not for headers, which have no content. */
export function isRemoved(item: Item): boolean {
  return item.type === 'message' && item.content.length === 0
}
/** One block of a model's reasoning. `seal`, also on calls, is the stored name of the provider's signature. */
export type Reasoning = { readonly type: 'reasoning'; readonly text: string; readonly seal?: string }
/** A call by the model. `args` is exactly the text that the model wrote, not parsed. */
export type Call = {
  readonly type: 'call'
  readonly callId: string
  readonly name: string
  readonly args: string
  readonly seal?: string
}
/** Recorded before a tool runs, so that a crash in mid-run is detected. */
export type Attempt = { readonly type: 'attempt'; readonly callId: string }
/** The result of a call that the service ran or refused. `origin` is set when the text came from outside. */
export type Result = {
  readonly type: 'result'
  readonly callId: string
  readonly output: string
  /** URLs of images in the output. The prompt shows them after the results. */
  readonly images?: readonly string[]
  readonly error?: true
  readonly origin?: string
  /** The effects of the call, as its tool declares them. */
  readonly effects?: Effects
  /** The hosts of the call's requests, the requests with their counts, and the names of the secrets in them. */
  readonly hosts?: readonly string[]
  readonly sent?: readonly (SentRequest & { readonly times: number })[]
  readonly secrets?: readonly string[]
  /** The leak rules that kept a secret from going out. */
  readonly leaks?: readonly string[]
  /** Names of tools that were found: they are in the prompt from here on. */
  readonly tools?: readonly string[]
  /** The skill whose text the output is. Compaction keeps such a result word for word. */
  readonly skill?: LoadedSkill
}
/** A call that waits for a person or a client. Repeats the call's name and arguments, so that it can be shown alone. */
export type Gate = {
  readonly type: 'gate'
  readonly callId: string
  readonly kind: 'approval' | 'output' | 'credential' | 'input'
  /** The call is open in the process that runs the turn and gets the answer there: it ends with that process. */
  readonly held?: true
  readonly name: string
  readonly args: string
  readonly prompt: string
  /** Why the policy asks for approval. */
  readonly reason?: string
  /** The reason as the approval card words it: what the call does, and what the model read before. */
  readonly why?: string
  /** The tool's question for an approval, and the target of the call. Gates of earlier versions have none. */
  readonly asks?: CallQuestion & { readonly reach?: Reach }
  /** The origin of the untrusted text that the model had read. Such a call can only be allowed once. */
  readonly taint?: string
  /** The tool asks each time: the call can only be allowed once. */
  readonly once?: true
  /** The names of the secrets that would go into the call's requests. */
  readonly secrets?: readonly string[]
  /** The credential that a sign-in must provide. The turn then continues by itself. */
  readonly credential?: Credential
  /** The only tools of the service that the turn which called a caller's function may use: its resume has no others. */
  readonly serviceTools?: readonly string[]
  /** The request of an `input` gate. */
  readonly input?: InputRequest
  /** State that the tool of an `input` gate gets back with the answer. It is never shown. */
  readonly state?: string
}
/**
 * The answer to a gate. The decision `output` closes the call by itself: no result follows. With a `scope` the answer
 * also grants later calls of this tool, or of this tool on the same target, up to `until`.
 */
export type Answer = {
  readonly type: 'answer'
  readonly callId: string
  readonly decision: 'allow' | 'deny' | 'output'
  readonly output?: string
  readonly images?: readonly string[]
  readonly by: string
  readonly scope?: 'tool' | 'target'
  readonly until?: number
  /** The values that were entered at an `input` gate. The model never sees them. */
  readonly values?: FormValues
}
/** The text of a loaded skill that a summary keeps. */
export type KeptSkill = { readonly name: string; readonly text: string; readonly origin?: string }
/** Replaces every item up to a seq when history is compacted. `origin` is set when one of them came from outside. */
export type Summary = {
  readonly type: 'summary'
  readonly text: string
  readonly upTo: number
  readonly origin?: string
  readonly skills?: readonly KeptSkill[]
}

export type Item = Message | Reasoning | Call | Attempt | Result | Gate | Answer | Summary

/**
 * An item before it is stored. Its id is minted where the item is made, since deltas name it earlier. `asked` is the
 * model call that made the item; only the first item of a response has it.
 */
export type Draft = { readonly id: string; readonly item: Item; readonly asked?: ModelCall }

/** A stored item. `seq` counts from 1 within the thread, without gaps. */
export type Entry = Draft & { readonly seq: number; readonly turnId: string; readonly at: number }

/** A message with one text, and files after it. */
export function textMessage(role: 'user' | 'assistant', text: string, files: readonly Part[] = []): Message {
  return { type: 'message', role, content: [{ type: 'text', text }, ...files] }
}

/** What the sender of a message wrote and attached: its parts without the service's framing. */
export function ownParts({ content }: Message): OwnPart[] {
  return content.filter((part) => part.type !== 'framing')
}

/** The text of a message and its files, without images. */
export function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'image' ? '' : part.text)).join('')
}
