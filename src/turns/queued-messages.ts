// Messages that wait behind a running turn: changed, removed, or stopped together with the turn.
import type { Bus } from '#core/bus.ts'
import { doorOf } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Draft, Item, Message } from '#core/item.ts'
import type { EndedTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { UserMask } from '#safety/secret-values.ts'
import { publishTurn } from './announce.ts'
import type { MayAllow } from './gate-answers.ts'
import { checkMessage, draftsOf } from './message.ts'
import { commandOf, isShellCall, shellCall } from './shell-command.ts'

export interface QueuedMessages {
  /**
   * Changes the text of a message; its files stay. Throws not_found, turn_started, invalid_input, too_large, storage_full, and
   * forbidden when the turn may use tools that the caller may not.
   */
  editQueued(user: UserId, turnId: string, text: string, may?: MayAllow): Promise<Turn>
  /** Removes a message: its turn is cancelled. Throws not_found, turn_started. */
  removeQueued(user: UserId, turnId: string): Promise<Turn>
  /** Removes all queued messages of a thread, then stops the turn that runs or waits there. */
  stopAll(user: UserId, threadId: string): Promise<StoppedAll>
}

/** The turns of the removed messages, and the turn that was stopped. */
export type StoppedAll = { readonly removed: readonly Turn[]; readonly stopped?: Turn }

export type QueuedMessagesParts = {
  readonly store: Pick<Store, 'turns'>
  readonly bus: Bus
  /** Announces a turn that was ended from outside the runner. */
  readonly publishEnd: (end: EndedTurn) => void
  readonly cancel: (user: UserId, turnId: string) => Promise<Turn>
  /** Items that a message with `/name` at its start loads. They follow the message. */
  readonly loadSkill?: ((user: UserId, text: string) => Promise<readonly Item[]>) | undefined
  readonly mask: UserMask
}

export function createQueuedMessages(parts: QueuedMessagesParts): QueuedMessages {
  const { store, bus, publishEnd, cancel, loadSkill, mask } = parts
  const publishRemoved = (turn: Turn): void => publishEnd({ turn, entries: [], changed: true })

  return {
    async editQueued(user, turnId, text, may = {}) {
      checkMessage(text)
      const { turn, input } = await store.turns.queuedInput(user, turnId)
      checkTools(turn, may)
      const [first] = input
      if (!doorOf(turn.door).typed || first?.item.type !== 'message') {
        throw new AppError('invalid_input', 'only a message that a person typed can be changed')
      }
      const loaded = text.startsWith('/') ? ((await loadSkill?.(turn.userId, text)) ?? []) : []
      const command = input.some(({ item }) => isShellCall(item)) ? commandOf(text) : undefined
      const more = command === undefined ? loaded : [shellCall(command)]
      const drafts = await draftsOf(more, (each) => mask(each, turn.userId))
      const message: Draft = { id: first.id, item: withText(first.item, text) }
      const changed = await store.turns.replaceInput(user, turnId, [message, ...drafts])
      publishTurn(bus, { turn: changed, entries: [] })
      return changed
    },
    async removeQueued(user, turnId) {
      const turn = await store.turns.withdraw(user, turnId)
      publishRemoved(turn)
      return turn
    },
    async stopAll(user, threadId) {
      // The queue first: none of it may begin when the turn stops.
      const removed = await store.turns.withdrawAll(user, threadId)
      removed.forEach(publishRemoved)
      const current = await store.turns.current(user, threadId)
      return { removed, ...(current && { stopped: await cancel(user, current.id) }) }
    },
  }
}

/** The turn keeps the tools of the token that began it: a token with fewer must not choose what they are used for. */
function checkTools({ options: { serviceTools } }: Turn, { allowedTools }: MayAllow): void {
  if (!allowedTools || serviceTools?.every((name) => allowedTools.includes(name))) return
  const message = 'this token may use some tools only, and the message has others: change it with another, or remove it'
  throw new AppError('forbidden', message)
}

/** The message with another text of its sender. */
function withText(message: Message, text: string): Message {
  const others = message.content.filter((part) => part.type !== 'text' || part.origin !== undefined)
  return { ...message, content: [{ type: 'text', text: text.toWellFormed() }, ...others] }
}
