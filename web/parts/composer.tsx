// The composer: Enter sends, Shift+Enter breaks the line; files come by button, paste and drop; the draft is kept.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { keepDraft, readDraft } from '../store/drafts.ts'
import { addFiles, type Chosen, chosen, removeFile, takeFiles } from '../store/files.ts'
import { goneSecs } from '../store/link.ts'
import { service } from '../store/service.ts'
import { sizeText } from '../lib/words.ts'
import { Button, IconButton } from './button.tsx'
import './composer.css'
import { Icon } from './icon.tsx'

type Props = {
  /** Whose draft it holds: a thread's id, or `new`. */
  readonly draftOf: string
  readonly hint: string
  readonly phoneHint: string
  /** A turn runs: it can be stopped, and what is sent waits its turn. */
  readonly running: boolean
  readonly onSend: (text: string, files: ReturnType<typeof takeFiles>) => void
  readonly onStop: () => void
}

const phone = matchMedia('(width < 720px)')

export function Composer({ draftOf, hint, phoneHint, running, onSend, onStop }: Props) {
  const text = useSignal(readDraft(draftOf))
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => {
    text.value = readDraft(draftOf)
    // On a phone the keyboard would cover what one came to read.
    if (!phone.matches) field.current?.focus()
  }, [draftOf])

  const write = (value: string): void => {
    text.value = value
    keepDraft(draftOf, value)
  }
  const ready = text.value.trim() !== ''
  const send = (): void => {
    if (!ready) return
    onSend(text.value.trim(), takeFiles())
    write('')
    field.current?.focus()
  }
  const away = goneSecs.value !== undefined

  return (
    <div class="composer-outer">
      <div class="composer-place">
        <form
          class="composer"
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          {chosen.value.length > 0 && (
            <ul class="chips" aria-label="Attached">
              {chosen.value.map((file) => (
                <li key={file.id}>
                  <Chip file={file} />
                </li>
              ))}
            </ul>
          )}
          <textarea
            class="composer-text"
            aria-label="Message"
            placeholder={phone.matches ? phoneHint : hint}
            rows={Math.min(12, text.value.split('\n').length)}
            value={text.value}
            ref={field}
            onInput={(event) => write(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
              event.preventDefault()
              send()
            }}
            onPaste={(event) => {
              const files = [...(event.clipboardData?.files ?? [])]
              if (files.length === 0) return
              event.preventDefault()
              void addFiles(files)
            }}
          />
          <div class="composer-row">
            <IconButton icon="clip" name="Attach" onClick={() => picker.current?.click()} />
            <input
              type="file"
              multiple
              hidden
              ref={picker}
              onChange={(event) => {
                void addFiles([...(event.currentTarget.files ?? [])])
                event.currentTarget.value = ''
              }}
            />
            {away && ready ? (
              <span class="label composer-away">Sent when the connection is back</span>
            ) : (
              service.data.value && (
                <a class="composer-model" href="/settings" title="Change the model">
                  <span class="one-line">{service.data.value.llm_model}</span>
                  <Icon name="down" />
                </a>
              )
            )}
            <span class="composer-space" />
            {running && (
              <Button
                icon="stop"
                onClick={() => {
                  onStop()
                  field.current?.focus()
                }}
              >
                Stop
              </Button>
            )}
            {(!running || ready) && (
              <button type="submit" class="send" aria-label="Send" title="Send" disabled={!ready}>
                <Icon name="up" />
              </button>
            )}
          </div>
        </form>
        <p class="label composer-help">Enter sends, Shift+Enter starts a new line</p>
      </div>
    </div>
  )
}

function Chip({ file }: { file: Chosen }) {
  return (
    <span class={file.refused ? 'chip refused' : 'chip'}>
      {file.url ? <img src={file.url} alt="" /> : <Icon name={file.refused ? 'triangle' : 'file'} />}
      <span class="one-line" title={file.name}>
        {file.name}
      </span>
      <span class="quiet">{file.refused ?? sizeText(file.size)}</span>
      <IconButton icon="cross" name={`Remove ${file.name}`} onClick={() => removeFile(file.id)} />
    </span>
  )
}
