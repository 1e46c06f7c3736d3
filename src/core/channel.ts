// Chat channels: the account that is connected, paired chats, updates that were taken, and the posts that chats get.
import type { Door } from './doors.ts'
import type { UserId } from './ids.ts'

/** The account of the service at a channel: a bot. */
export type ChannelAccount = { readonly channel: Door; readonly account: string; readonly name: string }

/** A chat that is paired with a user. A user has one chat at each channel. */
export type PairedChat = {
  readonly channel: Door
  readonly chat: string
  readonly user: UserId
  /** The thread that messages go to; absent before the first message, and after `/new`. */
  readonly threadId?: string
}

/**
 * A message of the service in a chat, which is kept up to date until it is finished: a `note` of one text, the reply of a
 * turn, the question of a gate.
 */
export type Post = {
  readonly id: string
  readonly channel: Door
  readonly chat: string
  readonly user: UserId
  readonly kind: 'note' | 'turn' | 'gate'
  readonly text: string
  readonly threadId?: string
  readonly turnId?: string
  readonly callId?: string
  /** The message of the chat that it answers. */
  readonly source?: string
  /** Its messages in the chat, in order. */
  readonly messages: readonly string[]
}

/** Updates of a channel that belong together. They are taken once: what they cause is stored in the same transaction. */
export type Updates = { readonly channel: Door; readonly account: string; readonly ids: readonly number[] }

/** An effect of taking updates in a chat, beside a turn. */
export type ChatEffect = {
  /** The chat's thread from now on; null for a new one with the next message. */
  readonly thread?: string | null
  readonly note?: string
}

/** A button under the question of a gate. It works once, for its user in its chat. */
export type GateButton = {
  /** Random; it is what comes back when the button is pressed. */
  readonly id: string
  readonly channel: Door
  readonly chat: string
  readonly user: UserId
  readonly threadId: string
  readonly callId: string
  readonly decision: 'allow' | 'deny'
  readonly endsAt: number
}

export type GateQuestion = Omit<GateButton, 'id' | 'decision'> & {
  readonly turnId: string
  readonly text: string
  /** The ids of its buttons by what they decide. */
  readonly buttons: Readonly<Partial<Record<GateButton['decision'], string>>>
}

export type PairingCode = {
  readonly channel: Door
  readonly hash: string
  readonly user: UserId
  readonly endsAt: number
}

/** Channels, as far as no turn is started. */
export interface ChannelRecords {
  account(channel: Door): Promise<ChannelAccount | undefined>
  /** Connects an account. If the channel had another one, its chats, codes and posts are forgotten. */
  connect(account: ChannelAccount): Promise<void>
  /** Forgets the account with its chats, codes and posts; false if there was none. */
  disconnect(channel: Door): Promise<boolean>
  /** Stores a code that pairs a chat once. It replaces the user's code before. */
  addCode(code: PairingCode): Promise<void>
  chat(channel: Door, chat: string): Promise<PairedChat | undefined>
  /** Forgets the user's chat and code, with their posts; the chat that was paired. */
  unpair(channel: Door, user: UserId): Promise<string | undefined>
  /** True if these updates, or a part of them, were taken before. */
  taken(updates: Updates): Promise<boolean>
  /** Pairs a chat by the hash of a code, which is used up. Undefined if there is no such code, or the update was taken. */
  takePairing(updates: Updates, chat: string, pairing: { hash: string; note: string }): Promise<PairedChat | undefined>
  /** Takes updates with their effects on a chat; false if they were taken before, or the chat is not its user's now. */
  takeEffect(updates: Updates, chat: PairedChat, effect: ChatEffect): Promise<boolean>
  /** Takes a pressed button; all buttons of its gate in this chat are used up. */
  takePress(updates: Updates, gate: Pick<GateButton, 'channel' | 'chat' | 'callId'>): Promise<boolean>
  button(id: string): Promise<GateButton | undefined>
  /** Unfinished posts of a channel, oldest first. */
  posts(channel: Door): Promise<readonly Post[]>
  post(id: string): Promise<Post | undefined>
  /** The unfinished post that answers a message. */
  answerTo(channel: Door, chat: string, source: string): Promise<Post | undefined>
  /**
   * Adds the question of a gate with its buttons; false if the chat has one for this gate, or is not paired with the user.
   */
  addQuestion(question: GateQuestion): Promise<boolean>
  /** The buttons of a gate in a chat that were not used yet. */
  buttonsOf(gate: Pick<GateButton, 'channel' | 'chat' | 'callId'>): Promise<readonly GateButton[]>
  setMessages(postId: string, messages: readonly string[]): Promise<void>
  /** Forgets a post that needs no further change, and its buttons. */
  finish(postId: string): Promise<void>
  /** Forgets updates that were taken before a time, and codes and buttons that have ended; a limited number of each. */
  prune(before: number, now: number): Promise<void>
  /** Erases the user's chats, codes, posts and buttons at all channels. */
  eraseUser(user: UserId): Promise<void>
}
