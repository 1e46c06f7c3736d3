// Notifications: the news that users are told, the ways by which they are told, and the outbox.
import type { UserId } from './ids.ts'
import type { Page, PageQuery } from './page.ts'

/** `needs_you`: a gate opened. `finished`: a long turn, or a mission with something to report. `failed`: a turn or mission. */
export const newsEvents = ['needs_you', 'finished', 'failed'] as const
export type NewsEvent = (typeof newsEvents)[number]

export const wayKinds = ['push', 'ntfy', 'telegram'] as const
export type WayKind = (typeof wayKinds)[number]

/** The ways of one user. */
export const maxWays = 20

/** A way to a user. */
export type NotificationWay = {
  readonly id: string
  readonly userId: UserId
  readonly kind: WayKind
  readonly events: readonly NewsEvent[]
  /** Messages may have the words of the thread, not just its title. */
  readonly content: boolean
  /**
   * The address that its sender needs: the URL of a topic, a push subscription, a chat. Anybody with it can write to the
   * user, so it is sealed in the database and never logged. Empty if it was sealed under a key that is gone.
   */
  readonly target: string
  /** The name that people know it by. It has no secret part of the target. */
  readonly label: string
  readonly createdAt: number
  /** Its other side failed or asked for a pause. */
  readonly pausedUntil?: number
}

export type NewWay = Pick<NotificationWay, 'kind' | 'events' | 'content' | 'target' | 'label'> & {
  /** The id of a way of the same user that it takes the place of. */
  readonly replaces?: string
}
export type WayChange = { readonly events?: readonly NewsEvent[]; readonly content?: boolean }

/** A way that was removed because it was gone. It is kept until its user has seen it. */
export type GoneWay = Pick<NotificationWay, 'id' | 'kind' | 'label'> & {
  readonly goneAt: number
  readonly because: string
}

/** Hours in which nothing is sent, as `HH:MM` in a time zone. They may pass midnight. */
export type Quiet = { readonly from: string; readonly to: string; readonly zone: string }

/** `due` is sent as soon as may be. `unknown`: a send was interrupted; it may have arrived. */
export type OutboxState = 'due' | 'sent' | 'failed' | 'unknown'

/** News to be told. It names the thread or mission and has no words of it: they are read when it is sent. */
export type NewNews = {
  readonly event: NewsEvent
  /** The same news has the same subject: a way gets it once. */
  readonly subject: string
  readonly threadId?: string
  readonly turnId?: string
  /** The call of the gate that opened. */
  readonly callId?: string
  readonly missionId?: string
  /** The door of the turn. A chat channel tells of its own turns itself. */
  readonly door?: string
  /** When it happened: a way that was added later does not get it. */
  readonly at?: number
}

/** News in the outbox: one row for each way. */
export type OutboxEntry = Omit<NewNews, 'subject' | 'door' | 'at'> & {
  readonly id: string
  readonly userId: UserId
  readonly wayId: string
  readonly state: OutboxState
  readonly tries: number
  /** When it is due, or when it came to its state. */
  readonly at: number
  readonly createdAt: number
  /** It fell into quiet hours. */
  readonly held: boolean
  /** Why the last try failed. */
  readonly error?: string
}

/** The results of entries that were being sent. */
export type OutboxSettlement =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly error: string }
  /** The other side has not got it: another try at `at`. */
  | { readonly state: 'due'; readonly at: number; readonly error: string }
  /** It may have arrived. An entry that was `due` is sent once more at `at`; one that was `unknown` is not. */
  | { readonly state: 'unknown'; readonly at: number; readonly error: string }

/** Ways, and users with all their ways. Few: each is a parameter of a statement. */
export type LeftOut = { readonly ways: readonly string[]; readonly users: readonly UserId[] }

export interface NotificationStore {
  /** Users who have a way. */
  usersWithWays(): Promise<readonly UserId[]>
  /** A user's ways, oldest first. */
  ways(user: UserId): Promise<readonly NotificationWay[]>
  way(id: string): Promise<NotificationWay | undefined>
  /**
   * Adds a way. One of the same kind and target is replaced; a browser that another user had is taken from that user, since
   * it can show the news of one only. Throws invalid_input if the user has as many ways as they may.
   */
  addWay(user: UserId, way: NewWay, maxWays: number): Promise<NotificationWay>
  changeWay(user: UserId, id: string, change: WayChange): Promise<NotificationWay | undefined>
  /** Removes a way with what is due on it, or the note about one that was gone. */
  removeWay(user: UserId, id: string): Promise<boolean>
  /** Removes the ways of a kind whose user is this one. */
  removeWays(user: UserId, kind: WayKind): Promise<number>
  /** Removes a way that is gone: what is due on it fails, and a note stays for its user. */
  removeGone(id: string, because: string): Promise<void>
  goneWays(user: UserId): Promise<readonly GoneWay[]>
  quiet(user: UserId): Promise<Quiet | undefined>
  /** Entries that were held back for the previous hours are due now. */
  setQuiet(user: UserId, quiet: Quiet | undefined): Promise<void>
  /** Puts news into the outbox, for each way of the user that takes the event; returns how many rows. */
  enqueue(user: UserId, news: NewNews): Promise<number>
  /** A user's outbox, newest first. */
  outbox(user: UserId, query: PageQuery): Promise<Page<OutboxEntry>>
  /**
   * Entries that other processes were sending when they ended become `unknown`, and so do those that this one claimed and
   * no longer sends. Only for the process that has the duty.
   */
  recoverSending(sender: string, isSending: (id: string) => boolean): Promise<number>
  /** Entries that are due and that nobody is sending, earliest first. Those of some ways or users may be left out. */
  due(now: number, limit: number, leftOut?: LeftOut): Promise<readonly OutboxEntry[]>
  /** Those of one way. */
  dueOn(wayId: string, now: number, limit: number): Promise<readonly OutboxEntry[]>
  /** When the next entry is due, those that are being sent included. */
  nextDue(): Promise<number | undefined>
  /** Marks entries as being sent, as one more try. Returns those that were still to be sent. */
  claim(ids: readonly string[], sender: string): Promise<readonly string[]>
  /** Records what became of entries that this process is sending. */
  settle(ids: readonly string[], sender: string, settlement: OutboxSettlement): Promise<void>
  /** Puts entries off without a try. `held`: for quiet hours. */
  putOff(ids: readonly string[], at: number, held: boolean): Promise<void>
  /** Pauses a way: nothing of what is due on it is sent before a time. */
  pauseWay(wayId: string, until: number): Promise<void>
  /** Makes due what is put off, and ends pauses, for longer than `maxMs` from a time on. */
  takeBack(at: number, maxMs: number): Promise<void>
  /** Fails or drops entries that are due, without a try. */
  fail(ids: readonly string[], error: string): Promise<void>
  drop(ids: readonly string[]): Promise<void>
  /** Erases a part of what was settled before a time; returns how many rows. */
  prune(before: number): Promise<number>
  /** Erases a user's ways, quiet hours and a bounded part of the outbox; returns how many rows. */
  eraseSome(user: UserId): Promise<number>
  /** A sealed value that is made once for the whole installation: the first to store it wins. */
  keepOnce(name: string, value: string): Promise<string>
  kept(name: string): Promise<string | undefined>
}
