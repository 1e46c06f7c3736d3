// A queued message that is being changed in the composer. The draft that stood there comes back afterwards.
import { AppError } from '#core/errors.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { You } from './block.ts'
import type { Composer } from './composer.ts'

export interface QueuedEdit {
  readonly active: boolean
  /** Puts a queued message into the composer. */
  begin(message: You): void
  /** Stores the text of the composer as the message. A message that has begun stays; the text stays in the composer. */
  save(): Promise<void>
  /** Leaves the message as it is. */
  leave(): void
}

type QueuedEditParts = {
  readonly client: Pick<OperatorClient, 'editQueued'>
  readonly composer: Composer
  readonly tell: (words: string) => void
}

export function createQueuedEdit({ client, composer, tell }: QueuedEditParts): QueuedEdit {
  let editing: { readonly turnId: string; readonly draft: string } | undefined

  function end(): void {
    if (!editing) return
    composer.set(editing.draft)
    editing = undefined
  }

  return {
    get active() {
      return editing !== undefined
    },
    begin({ turnId, text }) {
      editing = { turnId, draft: editing?.draft ?? composer.text() }
      composer.set(text)
      tell('Enter changes the queued message, Esc leaves it as it is.')
    },
    async save() {
      if (!editing) return
      const { turnId } = editing
      try {
        await client.editQueued(turnId, composer.text())
        end()
        tell('The queued message is changed.')
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'turn_started')) throw error
        // The text can still be sent, as the next message.
        editing = undefined
        tell('The message has begun already, so it stays as it was. Enter sends this text as the next one.')
      }
    },
    leave: end,
  }
}
