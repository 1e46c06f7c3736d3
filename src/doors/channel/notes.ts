// The service's own messages in a chat.
import type { Store } from '#core/store.ts'
import type { Thread } from '#core/turn.ts'
import { countWords, sumFigure } from '#core/words.ts'
import { proseOf } from '#safety/printable.ts'
import { commandWords } from './chat-commands.ts'
import { pageWords } from './gate-words.ts'

const commands = Object.entries(commandWords).map(([name, does]) => `/${name}: ${does}`)

export const helpNote = [
  'Write what you want done. Photos, PDFs and text files are taken too, with a caption or without.',
  'A message that comes while another is being answered is queued. You can edit it until its turn begins.',
  '',
  ...commands,
].join('\n')

export const pairedNote = `This chat is now yours: what you write here goes to your agent.\n\n${helpNote}`

/** In place of what the chat did not take. `link` is the address of the thread's page, if it is known. */
export function refusedNote(link: string | undefined): string {
  return `A message to you could not be sent here, or not all of it. See it ${pageWords(link)}`
}

type Counts = Awaited<ReturnType<Store['turns']['count']>>

export function statusNote({ queued, running, waiting, costToday }: Counts, thread: Thread | undefined): string {
  const here = thread ? `Thread: ${proseOf(thread.title)} (${thread.state})` : 'Your next message begins a new thread.'
  return [
    here,
    `In all threads: ${running} running, ${queued} queued, ${countWords(waiting, 'question')} waiting for you`,
    `Cost today: ${sumFigure(costToday.costUsd, costToday.unpricedCalls)}`,
  ].join('\n')
}

export function threadsNote(
  threads: readonly Thread[],
  { current, chosen, number }: { current: string | undefined; chosen: Thread | undefined; number: number | undefined },
): string {
  if (chosen) return `You go on in: ${proseOf(chosen.title)}`
  if (number !== undefined) return `There is no thread ${number} in the list: /threads shows it.`
  if (threads.length === 0) return 'There are no threads yet.'
  const lines = threads.map(
    ({ id, title, state }, at) =>
      `${at + 1}. ${proseOf(title)}${state === 'idle' ? '' : ` (${state})`}${id === current ? ' (here)' : ''}`,
  )
  return [...lines, '', '/threads 2 goes on in the second.'].join('\n')
}
