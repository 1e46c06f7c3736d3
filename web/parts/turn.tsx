// One turn: the reader's message, then the reply with its calls, texts and approvals, its receipt and its actions.
import { useComputed, useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { isAtRest } from '#core/turn-status.ts'
import { pagesWords, sizeWords } from '#core/words.ts'
import type { MessageItem, Part } from '#doors/web/wire/thread.ts'
import { lazy } from '../lazy.tsx'
import { type Block, isCut, ownTextOf, textOf, type TurnView } from '../lib/conversation.ts'
import { exactTime, whenText } from '../lib/words.ts'
import { now } from '../store/clock.ts'
import type { Conversation, TurnState } from '../store/conversation.ts'
import { waiting } from '../store/gates.ts'
import { editDraft, keepEditDraft } from '../store/drafts.ts'
import { runningTurn } from '../store/hub.ts'
import { statusOf } from '../store/receipts.ts'
import { nameOf, offeredModels } from '../store/models.ts'
import { service } from '../store/service.ts'
import { offlineSecs } from '../store/link.ts'
import type { resend as resendNow } from '../store/variants.ts'
import { useAct } from './act.ts'
import { answerIcon, answerWords, askedWords, messageWords } from './answer-words.ts'
import { IconButton } from './button.tsx'
import { Calls } from './call-row.tsx'
import { Copy } from './copy.tsx'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'
import { OwnText } from './own-text.tsx'
import { Picture } from './picture.tsx'
import { ReceiptLine } from './receipt-line.tsx'
import { growingIn, Text, Thoughts } from './reply-text.tsx'
import { Thinking, Working } from './thinking.tsx'
import './turn.css'

const Approval = lazy(async () => (await import('./approval.tsx')).Approval)
const EditBox = lazy(async () => (await import('./edit-box.tsx')).EditBox)
const FailureNote = lazy(async () => (await import('./failure.tsx')).FailureNote)
const ForkButton = lazy(async () => (await import('./fork.tsx')).ForkButton, { small: true })
const Variants = lazy(async () => (await import('./variants.tsx')).Variants, { small: true })

type Props = { readonly conversation: Conversation; readonly turn: TurnView }

/** Memoised: a turn that has not changed is not drawn again. */
export function Turn({ conversation, turn }: Props) {
  const own = turn.last ? turn.id : undefined
  const state = useComputed(() => conversation.states.value.get(own ?? '')).value
  const here = useComputed(() => conversation.growing.value.some(({ turnId }) => turnId === own)).value
  return useMemo(
    () => (
      <section class="turn" data-turn={turn.key}>
        {turn.message && <OwnMessage conversation={conversation} message={turn.message} />}
        <Reply conversation={conversation} turn={turn} state={state} growing={here} />
      </section>
    ),
    [turn, state, here],
  )
}

type ReplyProps = Props & { readonly state: TurnState | undefined; readonly growing: boolean }

function Reply({ conversation, turn, state, growing }: ReplyProps) {
  const runs = useComputed(() => turn.last && runningTurn.value === turn.id).value
  const asks = useComputed(() => turn.last && waiting.value.some(({ turn_id }) => turn_id === turn.id)).value
  const lost = useComputed(() => turn.last && offlineSecs.value !== undefined).value
  const rests = state === undefined ? !growing && !runs : isAtRest(state.status)
  const texts = turn.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const newTexts = useComputed(() => growingIn(conversation, turn.id)).value.match(/\S+/g) ?? []
  return (
    <article class="reply" aria-label="Atrium">
      {[
        ...turn.blocks.map((block) =>
          block.type === 'text' ? (
            <Text key={block.id} id={block.id} block={block} conversation={conversation} turn={turn} state={state} />
          ) : (
            <BlockView key={block.id} block={block} conversation={conversation} />
          ),
        ),
        turn.last && <Thoughts key="thoughts" conversation={conversation} turnId={turn.id} />,
        ...newTexts.map((id) => turn.last && <Text key={id} id={id} conversation={conversation} turn={turn} />),
      ]}
      {runs && lost && (
        <p class="label outgoing-state">
          <Icon name="clock" />
          The turn goes on; the rest follows
        </p>
      )}
      {runs && !growing && !lost && !isCalling(turn) && <Asking conversation={conversation} turn={turn} />}
      {turn.last && rests && !asks && state?.status !== 'waiting' && (
        <>
          <Failure conversation={conversation} turn={turn} state={state} />
          <div class="reply-foot">
            <ReceiptLine turnId={turn.id} status={state?.status} />
            <span class="reply-acts">
              {texts.length > 0 && <Copy text={() => texts.join('\n\n')} />}
              {turn.message && <Retry conversation={conversation} message={turn.message} />}
              <ForkButton conversation={conversation} turnKey={turn.key} />
            </span>
          </div>
        </>
      )}
    </article>
  )
}

/** The note under a failed turn, or the line under a stopped one. */
function Failure({ conversation, turn, state }: Omit<ReplyProps, 'growing'>) {
  const status = statusOf(turn.id, state)
  if (status === 'failed') return <FailureNote conversation={conversation} turn={turn} state={state} />
  return status === 'cancelled' && !isCut(turn) ? <p class="label">Stopped.</p> : null
}

/** A call runs, and shows its time itself. */
function isCalling({ blocks }: TurnView): boolean {
  const last = blocks.at(-1)
  return last?.type === 'calls' && last.calls.some(({ state }) => state === 'running')
}

/** The model was asked and has written nothing to read yet: its reasoning shows its time itself. */
function Asking({ conversation, turn }: Props) {
  const thinks = useComputed(() => conversation.thinking.value.some(({ turnId }) => turnId === turn.id)).value
  const model = conversation.thread.value?.model
  const name = model === undefined ? service.data.value?.llm_model : nameOf(model)
  return thinks ? null : <Working since={Date.parse(turn.lastAt)} model={name} />
}

type BlockProps = { readonly block: Exclude<Block, { type: 'text' }>; readonly conversation: Conversation }

function BlockView({ block, conversation }: BlockProps) {
  switch (block.type) {
    case 'calls':
      return <Calls calls={block.calls} progress={conversation.progress} />
    case 'thought':
      return <Thinking text={block.thought.text} ms={block.thought.ms} />
    case 'gate':
      return <GateBlock block={block} />
    case 'summary':
      return <p class="label">Earlier messages were summarised for the model. The thread keeps all of them.</p>
    default:
      return block satisfies never
  }
}

/** An open gate as its card, an answered one as a line. */
function GateBlock({ block: { gate, answer } }: { block: Extract<Block, { type: 'gate' }> }) {
  const open = useComputed(() => waiting.value.find(({ id }) => id === gate.call_id)).value
  if (open && !answer) return <Approval gate={open} />
  if (!answer) return null
  return (
    <p class="answered">
      <Icon name={answerIcon(answer)} />
      <span>
        {askedWords(gate)}. {answerWords(answer, gate.kind)},{' '}
        <time dateTime={answer.at} title={exactTime(answer.at)}>
          {whenText(answer.at, now.value)}
        </time>
        {messageWords(answer, answer.output)}
      </span>
    </p>
  )
}

type OwnProps = { readonly conversation: Conversation; readonly message: MessageItem }

function OwnMessage({ conversation, message }: OwnProps) {
  const kept = editDraft(conversation.id, message.seq)
  const editing = useSignal(kept !== undefined)
  /** The reader opened the box here; one whose words were kept comes back by itself. */
  const opened = useRef(false)
  const own = useRef<HTMLElement>(null)
  const edits = useRef(false)
  useLayoutEffect(() => {
    if (edits.current && !editing.value)
      own.current?.querySelector<HTMLElement>('.own-acts > [aria-label=Edit]')?.focus()
    edits.current = editing.value
  }, [editing.value])
  const edit = (): void => {
    opened.current = true
    editing.value = true
  }
  const text = textOf(message)
  const variants = useComputed(() => conversation.variants.value.get(message.seq)).value
  return (
    <article class="own" aria-label="You" ref={own}>
      <Files parts={message.content} />
      {editing.value ? (
        <EditBox
          text={kept ?? ownTextOf(message)}
          takesFocus={opened.current}
          note="A variant of the thread; this one stays."
          verb="Send again"
          onClose={() => {
            keepEditDraft(conversation.id, message.seq, undefined)
            editing.value = false
          }}
          onChange={(next) => keepEditDraft(conversation.id, message.seq, next)}
          onSend={(next) => resend(conversation.id, message, next)}
        />
      ) : (
        <>
          {text !== '' && (
            <div class="bubble">
              <OwnText text={text} />
            </div>
          )}
          <div class="own-acts">
            <time class="label" dateTime={message.at} title={exactTime(message.at)}>
              {whenText(message.at, now.value)}
            </time>
            <Copy text={() => text} />
            <IconButton icon="pencil" name="Edit" onClick={edit} />
            {variants && <Variants variants={variants} />}
          </div>
        </>
      )}
    </article>
  )
}

/** Loaded at the first use. */
const resend = async (...given: Parameters<typeof resendNow>): Promise<void> =>
  (await import('../store/variants.ts')).resend(...given)

function Retry({ conversation, message }: OwnProps) {
  const { busy, run } = useAct()
  const again = (model?: string | null): void =>
    void run(() => resend(conversation.id, message, ownTextOf(message), model), 'The message was not sent again.')
  const others = offeredModels.value
  return (
    <>
      <IconButton icon="retry" name="Retry" busy={busy.value} onClick={() => again()} />
      {others.length > 0 && (
        <Menu
          name="Retry with…"
          icon="down"
          choices={[null, ...others].map((model) => ({
            label: model ?? service.data.value?.llm_model ?? '',
            icon: 'retry',
            act: () => again(model),
          }))}
        />
      )}
    </>
  )
}

/** The attachments of a message: pictures as pictures, texts by name. */
function Files({ parts }: { parts: readonly Part[] }) {
  const files = parts.filter((part) => part.type !== 'text')
  if (files.length === 0) return null
  return (
    <ul class="own-files">
      {files.map((part, at) => (
        <li key={at}>
          {part.type === 'image' ? (
            part.url.startsWith('data:image/') ? (
              <Picture url={part.url} />
            ) : (
              <span class="chip">
                <Icon name="link" /> {part.url}
              </span>
            )
          ) : (
            <span class="chip">
              <Icon name="file" />
              <span class="one-line" title={part.name}>
                {part.name}
              </span>
              <span class="quiet">{part.pages ? pagesWords(part.pages) : sizeWords(new Blob([part.text]).size)}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
