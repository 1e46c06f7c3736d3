// A message of the outbox: held, queued or failed.
import { useSignal } from '@preact/signals'
import { lazy } from '../lazy.tsx'
import { firstSentence } from '../lib/conversation.ts'
import { waiting } from '../store/gates.ts'
import { runningTurn } from '../store/hub.ts'
import { type Outgoing, removeOutgoing, retry } from '../store/outbox.ts'
import { prependDraft } from '../store/drafts.ts'
import { returnFiles } from '../store/files.ts'
import { useAct } from './act.ts'
import { Button, IconButton } from './button.tsx'
import { focusSoon } from './focus.ts'
import { Icon } from './icon.tsx'
import { LongText } from './long-text.tsx'
import { Note } from './note.tsx'

const EditBox = lazy(async () => (await import('./edit-box.tsx')).EditBox)

/** Loaded at the first use. */
const queue = () => import('../store/queue.ts')

export function OutgoingMessage({ outgoing }: { outgoing: Outgoing }) {
  const { text, files, state, fault, threadId, turnId } = outgoing
  const editing = useSignal(false)
  const { busy, run } = useAct()
  // Not for the message of the running turn: it is about to appear in the thread.
  const behind = runningTurn.value !== undefined && runningTurn.value !== turnId
  const close = (): void => {
    editing.value = false
    focusSoon(`[data-outgoing="${outgoing.key}"] [aria-label="Edit queued message"]`, '.composer-text')
  }
  const remove = async (): Promise<void> => {
    await (await queue()).removeQueued(outgoing)
    focusSoon('.notice button', '.composer-text')
  }
  const queued = state === 'sent' && (behind || waiting.value.some(({ thread_id }) => thread_id === threadId))
  const about = queued ? firstSentence(text) : ''
  return (
    <section class="turn" data-outgoing={outgoing.key}>
      <article class="own" aria-label="You">
        {files.length > 0 && (
          <ul class="own-files">
            {files.map(({ name }) => (
              <li key={name}>
                <span class="chip">
                  <Icon name="file" />
                  <span class="one-line">{name}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
        {text !== '' && !editing.value && (
          <div class="bubble">
            <LongText text={text} />
          </div>
        )}
        {state === 'held' && (
          <p class="label outgoing-state">
            <Icon name="clock" />
            Sent when the connection is back
          </p>
        )}
        {editing.value && (
          <EditBox
            text={text}
            note="It keeps its place in the queue."
            verb="Save"
            onClose={close}
            onSend={async (next) => (await queue()).editQueued(outgoing, next)}
            onLeft={(next) => {
              focusSoon('.composer-text')
              void queue().then(({ keepEdit }) => keepEdit(outgoing, next))
            }}
          />
        )}
        {queued && !editing.value && (
          <div class="outgoing-state">
            <p class="label outgoing-state">
              <Icon name="clock" />
              Waits its turn
            </p>
            <IconButton icon="pencil" name="Edit queued message" of={about} onClick={() => (editing.value = true)} />
            <IconButton
              icon="trash"
              name="Remove queued message"
              of={about}
              busy={busy.value}
              onClick={() => void run(remove, 'The message was not removed.')}
            />
          </div>
        )}
      </article>
      {state === 'failed' && (
        <Note
          kind="clay"
          title="The message was not sent"
          actions={
            <>
              <Button size="small" icon="retry" onClick={() => void retry(outgoing)}>
                Try again
              </Button>
              <Button size="small" kind="quiet" onClick={() => backToDraft(outgoing)}>
                Take it back
              </Button>
            </>
          }
        >
          {fault} It is kept here.
        </Note>
      )}
    </section>
  )
}

/** Puts the text back into the composer, before the draft, and the files beside those of the draft. */
function backToDraft(outgoing: Outgoing): void {
  const { threadId = 'new', text, files } = outgoing
  prependDraft(threadId, text)
  void returnFiles(threadId, files)
  removeOutgoing(outgoing)
}
