// Gates in a chat: the question with its buttons, and what was decided in their place, from whichever door.
import { randomBytes } from 'node:crypto'
import type { GateButton, PairedChat, Post } from '#core/channel.ts'
import type { UserId } from '#core/ids.ts'
import type { Gate } from '#core/item.ts'
import type { ChannelStore } from '#core/store.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { gateEndsAt } from '#turns/gate-answers.ts'
import type { Gates } from '#turns/gates.ts'
import type { Turns } from '#turns/turns.ts'
import { questionOf } from '#safety/gate-question.ts'
import type { Content, Outcome, ShownButton } from './channel.ts'
import { createDelivery, type DeliverParts } from './deliver.ts'
import { decisionWords, gateQuestion, hiddenQuestion } from './gate-words.ts'
import { splitPlain } from './split.ts'

const buttonBytes = 18
/** Room in the last message for the words below the question: that nothing has happened yet, then the decision. */
const decisionChars = 200

type QuestionParts = {
  readonly store: Pick<ChannelStore, 'addQuestion'>
  /** The address of a thread's page; undefined if it is not known. */
  readonly linkOf: (threadId: string) => string | undefined
  /** Masks secrets of a user: a message leaves the service. */
  readonly mask: (text: string, user: UserId) => string
}

/** Stores the question of an open gate for a chat; false if the chat has it already. The channel's process then asks it. */
export function addGateQuestion(
  { store, linkOf, mask }: QuestionParts,
  { channel, chat, user }: Pick<PairedChat, 'channel' | 'chat' | 'user'>,
  { turn, gate, at }: OpenGate,
): Promise<boolean> {
  const { text: words, canAllow } = gateQuestion(gate, linkOf(turn.threadId))
  const text = mask(words, user)
  const newButton = (): string => randomBytes(buttonBytes).toString('base64url')
  const buttons = {
    ...(canAllow && { allow: newButton() }),
    ...(canDeny(gate) && { deny: newButton() }),
  }
  const { threadId, id: turnId } = turn
  const { callId } = gate
  const endsAt = gateEndsAt(gate, at)
  return store.addQuestion({ channel, chat, user, threadId, turnId, callId, text, buttons, endsAt })
}

function canDeny({ kind }: Gate): boolean {
  return kind === 'approval' || kind === 'input'
}

export type GatePostParts = DeliverParts & {
  readonly channels: Pick<ChannelStore, 'buttonsOf'>
  readonly gates: Pick<Gates, 'inThread' | 'answerTo'>
  readonly turns: Pick<Turns, 'changes'>
  readonly linkOf: QuestionParts['linkOf']
}

/**
 * Asks in the chat, waits until the gate is decided, and says what was decided in place of the buttons. A question that
 * the chat refuses is named, and can only be denied there.
 */
export async function tellGate(post: Post, parts: GatePostParts, signal: AbortSignal): Promise<Outcome> {
  const { channels, channel } = parts
  const { callId = '' } = post
  const delivery = createDelivery(post, parts)
  let texts = splitPlain(post.text, channel.maxChars - decisionChars)
  const gate = await openGate(post, parts)
  if (gate) {
    const { pending } = questionOf(gate)
    const buttons = await channels.buttonsOf({ channel: post.channel, chat: post.chat, callId })
    let asked = await delivery.show(contentsOf(withLine(texts, pending), buttons.map(shownButton)), signal)
    if (asked.type === 'refused') {
      texts = [hiddenQuestion(parts.linkOf(post.threadId ?? ''))]
      const deny = buttons.filter(({ decision }) => decision === 'deny')
      asked = await delivery.show(contentsOf(texts, deny.map(shownButton)), signal)
    }
    if (asked.type !== 'done') return asked
    await untilDecided(post, parts, signal)
  }
  const decision = decisionWords(await parts.gates.answerTo(post.user, post.turnId ?? '', callId))
  return delivery.show(contentsOf(withLine(texts, decision)), signal)
}

function shownButton({ id, decision }: GateButton): ShownButton {
  return { label: decision === 'allow' ? 'Allow once' : 'Deny', data: id }
}

function contentsOf(texts: readonly string[], buttons?: readonly ShownButton[]): Content[] {
  return texts.map((text, at) => {
    const last = at === texts.length - 1
    return { type: 'plain', text, ...(last && buttons && buttons.length > 0 && { buttons }) }
  })
}

/** The texts with a line below the last one. */
function withLine(texts: readonly string[], line: string): string[] {
  return line === '' ? [...texts] : [...texts.slice(0, -1), `${texts.at(-1)}\n\n${line}`]
}

type Asked = Pick<GatePostParts, 'gates' | 'turns'>

/** The gate that a post asks about; undefined once it is decided. */
async function openGate({ user, threadId = '', callId }: Post, { gates }: Asked): Promise<Gate | undefined> {
  return (await gates.inThread(user, threadId, callId))[0]?.gate
}

async function untilDecided(post: Post, parts: Asked, signal: AbortSignal): Promise<void> {
  for (;;) {
    const changes = parts.turns.changes(post.user)
    const close = (): void => changes.close()
    signal.addEventListener('abort', close)
    try {
      // After the subscription: a decision from now on is among the changes.
      if (!(await openGate(post, parts))) return
      for await (const batch of changes) {
        const concerned = batch.some(({ threadId }) => threadId === undefined || threadId === post.threadId)
        if (concerned && !(await openGate(post, parts))) return
      }
      signal.throwIfAborted()
    } catch (error) {
      // A follower that fell behind begins anew.
      if (signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', close)
      changes.close()
    }
  }
}

/** The open gates of a turn. */
export async function gatesOf(
  { gates }: Pick<GatePostParts, 'gates'>,
  { id, userId, threadId }: Turn,
): Promise<readonly OpenGate[]> {
  return (await gates.inThread(userId, threadId)).filter((open) => open.turn.id === id)
}
