// A message on its way: shown at once, with what becomes of it.
import { drop, type Outgoing, sendAgain } from '../store/outbox.ts'
import { keepDraft, readDraft } from '../store/drafts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Note } from './note.tsx'

export function OutgoingMessage({ outgoing }: { outgoing: Outgoing }) {
  const { text, files, state, fault } = outgoing
  return (
    <section class="turn">
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
        {text !== '' && <div class="bubble">{text}</div>}
        {state === 'held' && (
          <p class="label outgoing-state">
            <Icon name="clock" />
            Sent when the connection is back
          </p>
        )}
        {state === 'sent' && (
          <p class="label outgoing-state">
            <Icon name="clock" />
            Waits its turn
          </p>
        )}
      </article>
      {state === 'failed' && (
        <Note
          kind="clay"
          title="The message was not sent"
          actions={
            <>
              <Button size="small" icon="retry" onClick={() => void sendAgain(outgoing)}>
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

/** Into the composer again, before what stands there now. */
function backToDraft(outgoing: Outgoing): void {
  const of = outgoing.threadId ?? 'new'
  keepDraft(of, [outgoing.text, readDraft(of)].filter(Boolean).join('\n'))
  drop(outgoing)
}
