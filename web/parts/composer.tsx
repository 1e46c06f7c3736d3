// The composer. Enter sends, Shift+Enter breaks the line; files come by button, paste and drop; the draft is stored. A
// slash at its start completes the names of skills.
import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { sizeWords } from '#core/words.ts'
import type { Skill } from '#doors/web/wire/skill.ts'
import { completed, completionsOf } from '../lib/slash.ts'
import { writeDraft, readDraft } from '../store/drafts.ts'
import { addFiles, type Chosen, filesWith, pastedFiles, removeFile, takeFiles } from '../store/files.ts'
import { offlineSecs } from '../store/link.ts'
import { modelMenuOpen, nameOf, offeredModels } from '../store/models.ts'
import { service } from '../store/service.ts'
import { isOperator } from '../store/session.ts'
import { skills } from '../store/skills.ts'
import { Button, IconButton } from './button.tsx'
import './composer.css'
import { lazy } from '../lazy.tsx'
import { useNextFocus } from './focus.ts'
import { Icon } from './icon.tsx'
import { phone } from './phone.ts'

type Props = {
  /** The draft's key: a thread's id, or `new`. */
  readonly draftOf: string
  readonly hint: string
  readonly phoneHint: string
  /** The model that was chosen for the thread; undefined for the usual one. */
  readonly model: string | undefined
  /** A turn runs: Stop is shown, and a sent message is queued. */
  readonly running: boolean
  readonly onSend: (text: string, files: ReturnType<typeof takeFiles>) => void
  readonly onStop: () => void
  /** Messages wait behind the turn: stops it and removes them. */
  readonly onStopAll?: (() => void) | undefined
}

const ModelMenu = lazy(async () => (await import('./model-menu.tsx')).ModelMenu)

export function Composer({ draftOf, hint, phoneHint, model, running, onSend, onStop, onStopAll }: Props) {
  const text = readDraft(draftOf)
  const files = filesWith(draftOf)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    // On a phone, the keyboard would cover the thread. Who leafs through variants stays at their buttons.
    if (!phone.matches && !document.activeElement?.closest('.variants')) field.current?.focus()
    modelMenuOpen.value = false
  }, [draftOf])
  // The first message of a thread brings another page, with a composer of its own.
  useNextFocus(field, '.composer-text')

  /** The completion that Tab takes, and the draft for which the list was closed. */
  const chosen = useSignal(0)
  const closedFor = useSignal<string | undefined>(undefined)
  const found = closedFor.value === text ? [] : completionsOf(text, skills.data.value ?? [])
  const at = Math.min(chosen.value, found.length - 1)
  const listId = useId()

  const write = (value: string): void => {
    if (value.startsWith('/') && !text.startsWith('/')) void skills.load()
    chosen.value = 0
    writeDraft(draftOf, value)
  }
  const complete = (skill: Skill): void => {
    field.current?.focus()
    field.current?.select()
    // As if it was typed: Undo takes it back.
    if (!document.execCommand('insertText', false, completed(skill))) write(completed(skill))
  }
  /** Keys of the open list; true when the key was one. */
  const pressList = (key: string): boolean => {
    const skill = found[at]
    if (!skill) return false
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      chosen.value = (at + (key === 'ArrowDown' ? 1 : found.length - 1)) % found.length
    } else if (key === 'Escape') closedFor.value = text
    else if (key === 'Tab' || (key === 'Enter' && text !== `/${skill.name}`)) complete(skill)
    else return false
    return true
  }
  const ready = text.trim() !== ''
  const send = (): void => {
    if (!ready) return
    onSend(text.trim(), takeFiles(draftOf))
    write('')
    field.current?.focus()
  }
  const closeModels = (): void => {
    modelMenuOpen.value = false
    field.current?.focus()
  }
  const away = offlineSecs.value !== undefined
  const stoppable = running && !away
  const noteId = useId()
  const note = noteOf({ ready, away, files: files.filter(({ file }) => file).length })

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
          {files.length > 0 && (
            <ul class="chips" aria-label="Attached">
              {files.map((file) => (
                <li key={file.id}>
                  <Chip file={file} onRemove={() => removeFile(draftOf, file.id)} />
                </li>
              ))}
            </ul>
          )}
          {modelMenuOpen.value && (
            <ModelMenu threadId={draftOf === 'new' ? undefined : draftOf} chosen={model} onClose={closeModels} />
          )}
          {found.length > 0 && <Completions id={listId} list={found} at={at} onChoose={complete} />}
          <textarea
            class="composer-text"
            aria-label="Message"
            aria-describedby={note && noteId}
            aria-autocomplete="list"
            aria-controls={found.length > 0 ? listId : undefined}
            aria-activedescendant={found.length > 0 ? `${listId}-${at}` : undefined}
            placeholder={phone.matches ? phoneHint : hint}
            rows={Math.min(12, text.split('\n').length)}
            value={text}
            ref={field}
            onInput={(event) => write(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (!event.shiftKey && !event.isComposing && pressList(event.key)) {
                event.preventDefault()
                return
              }
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
              event.preventDefault()
              send()
            }}
            onPaste={(event) => {
              const pasted = pastedFiles(event.clipboardData)
              if (pasted.length === 0) return
              event.preventDefault()
              void addFiles(draftOf, pasted)
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
                void addFiles(draftOf, [...(event.currentTarget.files ?? [])])
                event.currentTarget.value = ''
              }}
            />
            {note ? (
              <span id={noteId} class="label composer-note">
                {note}
              </span>
            ) : (
              <ModelChip model={model} />
            )}
            <span class="composer-space" />
            {stoppable && (
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
            {stoppable && onStopAll && (
              <Button
                kind="quiet"
                onClick={() => {
                  onStopAll()
                  field.current?.focus()
                }}
              >
                Stop all
              </Button>
            )}
            {(!stoppable || ready) && (
              <button
                type="submit"
                class="send"
                aria-label="Send"
                aria-describedby={note && noteId}
                title="Send"
                disabled={!ready}
              >
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

/** The model of the thread: a menu where there is a choice, else a link to the settings, which only the operator can change. */
function ModelChip({ model }: { model: string | undefined }) {
  if (!service.data.value) return null
  const name = model === undefined ? service.data.value.llm_model : nameOf(model)
  if (offeredModels.value.length === 0) {
    if (!isOperator.value) {
      return (
        <span class="composer-model">
          <span class="one-line">{name}</span>
        </span>
      )
    }
    return (
      <a class="composer-model" href="/settings" title="Change the model">
        <span class="one-line">{name}</span>
        <Icon name="down" />
      </a>
    )
  }
  return (
    <button
      type="button"
      class="composer-model"
      aria-label={`Model for this thread: ${name}`}
      title="Model for this thread"
      aria-haspopup="menu"
      aria-expanded={modelMenuOpen.value}
      onClick={() => (modelMenuOpen.value = !modelMenuOpen.value)}
    >
      <span class="one-line">{name}</span>
      <Icon name="down" />
    </button>
  )
}

type CompletionProps = {
  readonly id: string
  readonly list: readonly Skill[]
  readonly at: number
  readonly onChoose: (skill: Skill) => void
}

function Completions({ id, list, at, onChoose }: CompletionProps) {
  return (
    <ul class="completions" id={id} role="listbox" aria-label="Skills">
      {list.map((skill, index) => (
        <li
          key={skill.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(skill)}
        >
          <span class="mono">/{skill.name}</span>
          <span class="quiet one-line">{skill.description}</span>
        </li>
      ))}
    </ul>
  )
}

/** Why the draft cannot be sent now, or is not sent at once. */
function noteOf({ ready, away, files }: { ready: boolean; away: boolean; files: number }): string | undefined {
  if (!ready) return files > 0 ? `Add a message: ${files === 1 ? 'a file goes' : 'files go'} with one` : undefined
  return away ? 'Sent when the connection is back' : undefined
}

function Chip({ file, onRemove }: { file: Chosen; onRemove: () => void }) {
  return (
    <span class={file.refused ? 'chip refused' : 'chip'}>
      {file.url ? <img src={file.url} alt="" /> : <Icon name={file.refused ? 'triangle' : 'file'} />}
      <span class="one-line" title={file.name}>
        {file.name}
      </span>
      <span class="quiet">{file.refused ?? sizeWords(file.size)}</span>
      <IconButton icon="cross" name={`Remove ${file.name}`} onClick={onRemove} />
    </span>
  )
}
