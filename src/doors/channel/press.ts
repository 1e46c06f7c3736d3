// A pressed button: decides its gate once, for the user and the chat that it was made for.
import type { GateButton, PairedChat, Updates } from '#core/channel.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { ChannelStore } from '#core/store.ts'
import type { Gates } from '#turns/gates.ts'
import { decisionWords } from './gate-words.ts'

export type PressParts = {
  readonly store: Pick<ChannelStore, 'button' | 'takePress' | 'takeEffect'>
  readonly gates: Pick<Gates, 'answer'>
  /** The name of a user in answers. */
  readonly nameOf: (user: UserId) => Promise<string>
  readonly now?: () => number
}

const notValid = 'This was decided already, or has expired.'

/** Carries out the decision of a button. Returns the words for the person who pressed it. */
export async function takePressed(
  parts: PressParts,
  updates: Updates,
  chat: PairedChat,
  data: string,
): Promise<string> {
  const { store, gates, nameOf, now = Date.now } = parts
  const button = await store.button(data)
  if (!button || !isOf(button, chat) || button.endsAt <= now()) {
    await store.takeEffect(updates, chat, {})
    return notValid
  }
  const { threadId, callId, decision, user } = button
  const by = await nameOf(user)
  // The answer first: if it is interrupted, the press comes again and finds the gate closed.
  const words = await gates.answer(user, threadId, { callId, decision, by }).then(
    () => decisionWords({ decision, by: '' }),
    (error: unknown) => {
      if (error instanceof AppError && (error.code === 'gate_closed' || error.code === 'not_found')) return notValid
      throw error
    },
  )
  await store.takePress(updates, button)
  return words
}

/** True for a button that was made for this chat and its person. */
function isOf(button: GateButton, { channel, chat, user }: PairedChat): boolean {
  return button.channel === channel && button.chat === chat && button.user === user
}
