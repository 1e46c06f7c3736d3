// Submits the text of the composer: as a message, a command, a command for the shell, or a changed queued message.
import { similarWord } from '#lib/similar-word.ts'
import { printable } from '#safety/printable.ts'
import type { Attached } from './attachment-list.ts'
import { type CommandName, commands, readTyped, withWords } from './command-list.ts'
import type { Composer } from './composer.ts'
import type { Conversation } from './conversation.ts'
import { faultWords } from './faults.ts'
import { withMentioned } from './mentioned-files.ts'
import type { Offers } from './offers.ts'
import type { QueuedEdit } from './queued-edit.ts'

/** The files attached to the next message. */
export type NextFiles = { files: readonly Attached[] }

export type SubmitParts = {
  readonly composer: Composer
  readonly conversation: Pick<Conversation, 'send'>
  readonly offers: Offers
  readonly queuedEdit: QueuedEdit
  readonly skills: () => readonly string[]
  readonly readFile: (path: string) => Promise<Attached>
  readonly next: NextFiles
  readonly runCommand: (name: CommandName, rest: string) => void
  readonly sending: () => void
  readonly tell: (words: string) => void
  readonly attempt: (work: Promise<unknown>) => void
}

export interface Submit {
  enter(): void
  /** Adds the letters of the chosen offer; false when there is none. */
  complete(): boolean
}

export function createSubmit(parts: SubmitParts): Submit {
  const { composer, conversation, offers, queuedEdit, skills, readFile, next, runCommand, tell } = parts

  function send(text: string, command?: string): void {
    const attached = next.files
    next.files = []
    parts.sending()
    const gather = async (): Promise<readonly Attached[]> => {
      if (command !== undefined) return attached
      const { files: all, missing } = await withMentioned(text, attached, readFile)
      const paths = missing.filter((path) => path.includes('/')).map((path) => printable(path))
      if (paths.length > 0) tell(`There is no file ${paths.join(', ')}: it is sent as text.`)
      return all
    }
    conversation.send(text, { files: gather, command }).catch((error: unknown) => {
      // A message that was not sent goes back into the composer, unless the user has typed something else.
      if (composer.empty) {
        composer.set(text)
        next.files = attached
      }
      tell(`Not sent: ${faultWords(error)}`)
    })
  }

  function complete(): boolean {
    const { chosen } = offers
    if (!chosen) return false
    composer.insert(chosen.rest)
    offers.look(composer.shown(), composer.beforeCursor())
    return true
  }

  return {
    complete,
    enter() {
      if (composer.continues()) return composer.newLine()
      if (offers.picked && complete() && readTyped(composer.text()).type !== 'command') return
      const text = composer.text()
      if (text.trim() === '') return
      if (queuedEdit.active) return parts.attempt(queuedEdit.save())
      const typed = readTyped(text, skills())
      if (typed.type === 'unknown') {
        // The letters of one command are enough; a skill needs words after it.
        const name = commands.find((each) => each === offers.chosen?.label)
        if (!name) return complete() ? undefined : tell(unknownWords(typed.word))
        composer.take()
        return runCommand(name, '')
      }
      if (typed.type === 'command' && typed.rest !== '' && !withWords.has(typed.name))
        return tell(`${typed.name} takes no words after it. Nothing was done.`)
      composer.take()
      if (typed.type === 'message') send(text)
      else if (typed.type === 'shell') send(text, typed.command)
      else {
        runCommand(typed.name, typed.rest)
        if (typed.name === '/new' && typed.rest !== '') send(typed.rest)
      }
    },
  }
}

function unknownWords(word: string): string {
  const meant = similarWord(word, commands)
  const way = meant === undefined ? '/help lists them' : `did you mean ${meant}?`
  return `There is no command ${word}: ${way}${meant === undefined ? '.' : ''} Nothing was sent.`
}
