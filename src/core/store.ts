// The storage interface. Items are append-only history; status, lease and cancel are columns that change. Every method on
// a user's rows takes the user's id. The operator's id also reaches rows of doors whose senders have no account
// (`core/doors`).
import type { AccountStore, IdentityStore, SessionStore } from './account.ts'
import type { ChannelRecords, PairedChat, Updates } from './channel.ts'
import type { DocumentStore } from './document.ts'
import type { GrantStore } from './grant.ts'
import type { UserId } from './ids.ts'
import type { Json } from './json.ts'
import type { LeaseStore } from './lease.ts'
import type { McpStore } from './mcp.ts'
import type { MissedRow, Mission, MissionRecords, MissionRun, NewsOfRun, PauseRule } from './mission.ts'
import type { NotificationStore } from './notification.ts'
import type { SecretStore } from './secret.ts'
import type { SkillStore } from './skill.ts'
import type { ThreadIndexStore } from './thread-index.ts'
import type { ThreadStore } from './thread-store.ts'
import type { ToolStore } from './tool-record.ts'
import type { NewTurn, StoredTurn, TurnStore } from './turn-store.ts'
import type { UsageStore } from './usage.ts'
import type { VectorStore } from './vector.ts'

/** The outcome of a mission's due instants, stored in one transaction. */
export type Firing = {
  readonly mission: Mission
  readonly missed: readonly MissedRow[]
  /** The instant that runs, with its turn; or why it fails without one. */
  readonly run?: { readonly at: number; readonly turn: NewTurn } | { readonly at: number; readonly fault: string }
  /** The next instant; without one the mission is done. */
  readonly next?: number
  /** Runs at once in the whole service. */
  readonly maxRunning: number
  readonly pause: PauseRule
  /** The time at which `next` was found, by the database's clock. */
  readonly plannedAt: number
  /** The news of a run that failed without a turn. */
  readonly newsOf?: NewsOfRun
}

/**
 * `lost`: the mission was changed, or another process was first. `full`: as many run as may; nothing was written.
 * `recorded`: rows without a turn.
 */
export type Fired =
  | { readonly type: 'started'; readonly stored: StoredTurn }
  | { readonly type: 'recorded'; readonly paused: boolean }
  | { readonly type: 'lost' | 'full' }

export interface MissionStore extends MissionRecords {
  fire(firing: Firing): Promise<Fired>
  /** Starts a run outside of the schedule. Throws mission_running, overloaded. */
  runNow(mission: Mission, turn: NewTurn, maxRunning: number): Promise<{ stored: StoredTurn; run: MissionRun }>
}

/** Chat channels. An update and the turn that it begins are stored together. */
export interface ChannelStore extends ChannelRecords {
  /** Starts the turn of a message, in the chat's thread; undefined where `takeEffect` gives false. Throws like `start`. */
  takeTurn(
    updates: Updates,
    chat: PairedChat,
    message: { turn: NewTurn; source: string },
  ): Promise<StoredTurn | undefined>
}

export interface StorageStore {
  /** The bytes that a user stores in threads and documents, and the most that they may; no maximum without a quota. */
  used(user: UserId): Promise<{ readonly bytes: number; readonly maxBytes?: number }>
}

export type Settings = Readonly<Record<string, Json>>

export interface SettingStore {
  all(): Promise<Settings>
  /** Writes what `decide` returns, in one transaction: of two concurrent changes the later sees the earlier. */
  change(decide: (stored: Settings) => Readonly<Record<string, Json | undefined>>): Promise<void>
}

export interface LimitStore {
  /** Counts one use of a key within a window, if the limit allows it. If not, `retryAfterMs` is when it will. */
  take(key: string, limit: number, windowMs: number, now: number): Promise<{ allowed: boolean; retryAfterMs: number }>
}

export interface Store {
  readonly backend: 'sqlite' | 'postgres'
  readonly turns: TurnStore
  readonly threads: ThreadStore
  readonly threadIndex: ThreadIndexStore
  readonly storage: StorageStore
  readonly usage: UsageStore
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly identities: IdentityStore
  readonly grants: GrantStore
  readonly missions: MissionStore
  readonly channels: ChannelStore
  readonly notifications: NotificationStore
  readonly secrets: SecretStore
  readonly settings: SettingStore
  readonly tools: ToolStore
  readonly mcp: McpStore
  readonly skills: SkillStore
  readonly documents: DocumentStore
  readonly vectors: VectorStore
  /** Rate limits of callers: in memory on SQLite, shared through the database on PostgreSQL. */
  readonly limits: LimitStore
  /** Rate limits that survive a restart. */
  readonly persistentLimits: LimitStore
  readonly leases: LeaseStore
  /** Parts of the schema that the database lacks, one line each; empty if it is complete. */
  check(): Promise<readonly string[]>
  /** Throws database_unavailable if the database does not answer. */
  ping(): Promise<void>
  /** Throws disk_full, home_unwritable or database_unavailable while nothing can be stored: if a write failed with it, and another one does. */
  checkWrites(): Promise<void>
  /** True if another process has stored something since this one opened the database. On PostgreSQL the bus tells of it. */
  changedElsewhere(): boolean
  close(): Promise<void>
}
