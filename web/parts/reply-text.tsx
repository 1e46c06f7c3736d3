// The texts and the reasoning of a reply, stored or streaming in.
import { useComputed } from '@preact/signals'
import { type Block, cutText, type TurnView } from '../lib/conversation.ts'
import type { Conversation, TurnState } from '../store/conversation.ts'
import { offlineSecs } from '../store/link.ts'
import { statusOf } from '../store/receipts.ts'
import { Markdown } from './markdown.tsx'
import { Thinking } from './thinking.tsx'

type TextBlock = Extract<Block, { type: 'text' }>
type TextProps = {
  readonly conversation: Conversation
  readonly turn: TurnView
  readonly id: string
  readonly block?: TextBlock
  readonly state?: TurnState | undefined
}

/** The ids of the texts of a turn that stream in. */
export function growingIn({ growing }: Conversation, turnId: string): string {
  return growing.value.flatMap((each) => (each.turnId === turnId ? [each.itemId] : [])).join(' ')
}

/**
 * A text of a reply: stored, or streaming in. Only this part is drawn again for each delta, and nothing when the text is
 * stored: the one component stays.
 */
export function Text({ conversation, turn, id, block, state }: TextProps) {
  const grown = useComputed(() => conversation.growing.value.find(({ itemId }) => itemId === id)?.text).value
  const isLast = useComputed(() => conversation.growing.value.at(-1)?.itemId === id && offlineSecs.value === undefined)
  const growing = block === undefined
  return (
    <>
      <div class={growing && isLast.value ? 'growing' : undefined}>
        <Markdown text={block?.text ?? grown ?? ''} growing={growing} />
      </div>
      {block?.cut && <CutLine text={cutText(statusOf(turn.id, state))} />}
    </>
  )
}

/** The reasoning that streams in. */
export function Thoughts({ conversation, turnId }: { conversation: Conversation; turnId: string }) {
  const thoughts = useComputed(() => conversation.thinking.value.filter((each) => each.turnId === turnId)).value
  const answers = useComputed(() => growingIn(conversation, turnId) !== '').value
  return (
    <>
      {thoughts.map(({ itemId, text, since }) => (
        <Thinking key={itemId} text={text} since={answers ? undefined : since} />
      ))}
    </>
  )
}

function CutLine({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p class="label">{text}</p>
}
