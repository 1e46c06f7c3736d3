// The chat page: an open thread, or a new one.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Attachment } from '#doors/web/wire/chat.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import type { Door } from '#doors/web/wire/turn.ts'
import { faultText } from '../api/client.ts'
import { Announcer } from '../parts/announcer.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Composer } from '../parts/composer.tsx'
import { focusSoon } from '../parts/focus.ts'
import { doorOf } from '../lib/doors.ts'
import { Mark } from '../parts/icon.tsx'
import { Pill } from '../parts/mark.tsx'
import { Menu } from '../parts/menu.tsx'
import { Note } from '../parts/note.tsx'
import { OutgoingMessage } from '../parts/outgoing.tsx'
import { RenameField } from '../parts/rename-field.tsx'
import { shelfChoices } from '../parts/shelf-choices.ts'
import { Empty } from '../parts/states.tsx'
import { TopBar } from '../parts/top-bar.tsx'
import { Transcript } from '../parts/transcript.tsx'
import { Welcome } from '../parts/welcome.tsx'
import { go } from '../router.ts'
import type { Conversation } from '../store/conversation.ts'
import { readDraft, writeDraft } from '../store/drafts.ts'
import { addFiles, moveFiles } from '../store/files.ts'
import { waiting } from '../store/gates.ts'
import { openConversation, runningTurn } from '../store/hub.ts'
import { stopJob } from '../store/jobs.ts'
import { modelMenuOpen, newThreadModel, offeredModels } from '../store/models.ts'
import { notify } from '../store/notices.ts'
import { outgoingTo, send } from '../store/outbox.ts'
import { shownReceipt } from '../store/receipts.ts'
import { deleteThread, threadList } from '../store/threads.ts'
import './chat.css'

export function Chat() {
  const conversation = openConversation.value
  const dropping = useDrop(conversation?.id ?? 'new')
  return (
    <div class={dropping ? 'chat dropping' : 'chat'}>
      {conversation ? <OpenThread key={conversation.id} conversation={conversation} /> : <NewThread />}
      {dropping && (
        <div class="drop-here" aria-hidden="true">
          Drop to attach
        </div>
      )}
    </div>
  )
}

function OpenThread({ conversation }: { conversation: Conversation }) {
  const { id } = conversation
  const thread = threadList.data.value?.threads.find((each) => each.id === id) ?? conversation.thread.value
  const turn = runningTurn.value
  const waits = waiting.value.some(({ thread_id }) => thread_id === id)
  const queued = outgoingTo(id).some(({ state, turnId }) => state === 'sent' && turnId !== turn)
  // Closes the receipt panel when the thread is left.
  useEffect(() => () => (shownReceipt.value = undefined), [])
  if (conversation.fault.value?.missing) {
    return (
      <>
        <TopBar title="Thread" heading />
        <Empty
          icon="search"
          title="This thread is not here"
          action={<Button onClick={() => startInstead(id)}>Start a thread</Button>}
        >
          It may have been deleted, or belong to somebody else.
        </Empty>
      </>
    )
  }
  const notStopped = (error: unknown): void => notify(`The turn was not stopped. ${faultText(error)}`)
  const stop = (): void => {
    if (turn) stopJob(turn).catch(notStopped)
  }
  const stopAll = (): void => {
    import('../store/queue.ts').then((queue) => queue.stopAll(id)).catch(notStopped)
  }
  return (
    <>
      {thread ? <ThreadBar thread={thread} /> : <TopBar title="Thread" heading />}
      {conversation.fault.value && !conversation.loaded.value && (
        <div class="chat-note">
          <Note
            kind="clay"
            title="The thread could not be read"
            actions={
              <Button size="small" icon="retry" onClick={() => void conversation.load()}>
                Try again
              </Button>
            }
          >
            {conversation.fault.value.text} Nothing is lost.
          </Note>
        </div>
      )}
      <Transcript conversation={conversation} />
      <Announcer conversation={conversation} />
      <Composer
        draftOf={id}
        model={thread?.model}
        running={turn !== undefined}
        hint={
          waits
            ? 'Write a message; it waits until the request above is answered'
            : turn
              ? 'Write the next message; it waits its turn'
              : 'Write a message'
        }
        phoneHint={waits ? 'Add something' : turn ? 'Next message' : 'Message'}
        onSend={(text, files) => void send({ threadId: id, text, files })}
        onStop={stop}
        onStopAll={queued ? stopAll : undefined}
      />
    </>
  )
}

/** Takes along what was written here and not sent. */
function startInstead(id: string): void {
  writeDraft('new', [readDraft('new'), readDraft(id)].filter(Boolean).join('\n'))
  writeDraft(id, '')
  moveFiles(id, 'new')
  go('/')
}

function ThreadBar({ thread }: { thread: Thread }) {
  const { id, title, door } = thread
  const renaming = useSignal(false)
  if (renaming.value) {
    const end = (): void => {
      renaming.value = false
      focusSoon('.top-action .menu button')
    }
    return (
      <div class="top-bar">
        <RenameField id={id} title={title} look="bar-title" onEnd={end} />
      </div>
    )
  }
  return (
    <TopBar
      title={title || 'Thread'}
      heading
      aside={<DoorPill door={door} />}
      action={
        <>
          <span class="only-roomy">
            <IconButton icon="pencil" name="Rename" onClick={() => (renaming.value = true)} />
          </span>
          <Menu
            name="Thread menu"
            choices={[
              { label: 'Rename', icon: 'pencil', act: () => (renaming.value = true) },
              // On a phone the composer has no room for the model.
              ...(offeredModels.value.length > 0
                ? [
                    {
                      label: 'Model for this thread',
                      icon: 'sliders' as const,
                      act: () => (modelMenuOpen.value = true),
                    },
                  ]
                : []),
              ...shelfChoices(thread),
              { label: 'Delete', icon: 'trash', danger: true, act: () => deleteThread(thread) },
            ]}
          />
        </>
      }
    />
  )
}

function DoorPill({ door }: { door: Door }) {
  const { icon, label } = doorOf(door)
  return (
    <span class="bar-door">
      <Pill icon={icon}>{label}</Pill>
    </span>
  )
}

function NewThread() {
  const outgoing = outgoingTo(undefined)
  return (
    <>
      <TopBar title="New thread" phoneOnly />
      <div class="chat-new">
        {outgoing.length > 0 ? (
          <div class="column">
            {outgoing.map((each) => (
              <OutgoingMessage key={each.key} outgoing={each} />
            ))}
          </div>
        ) : (
          <div class="column welcome-place">
            <Mark size={34} />
            <Welcome onAsk={(text) => begin(text, [])} />
          </div>
        )}
      </div>
      <Composer
        draftOf="new"
        model={newThreadModel.value}
        running={false}
        hint="Write a message"
        phoneHint="Message"
        onSend={(text, files) => begin(text, files)}
        onStop={() => undefined}
      />
    </>
  )
}

/** Sends the first message of a new thread, with the model that was chosen for it. */
function begin(text: string, files: readonly Attachment[]): void {
  const model = newThreadModel.peek()
  newThreadModel.value = undefined
  void send({ threadId: undefined, text, files, ...(model && { model }) })
}

/** True while files are dragged over the page. Attaches the files that are dropped. */
function useDrop(draft: string): boolean {
  const over = useSignal(false)
  useEffect(() => {
    const has = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent): void => {
      if (!has(event)) return
      event.preventDefault()
      over.value = true
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) over.value = false
    }
    const drop = (event: DragEvent): void => {
      over.value = false
      if (!has(event)) return
      event.preventDefault()
      void addFiles(draft, [...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', enter)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', enter)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [draft])
  return over.value
}
