// The slash commands: each opens a box or does one action.
import { doorOf } from '#core/doors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { ended } from '#core/turn-status.ts'
import type { Thread } from '#core/turn.ts'
import { countWords } from '#core/words.ts'
import { printable, proseOf } from '#safety/printable.ts'
import type { MissionsJson } from '#missions/mission-wire.ts'
import type { OperatorClient, OperatorTool } from '#turns/operator-client.ts'
import { type Attached, fileWords, namedFile } from './attachment-list.ts'
import { type CommandName, helpLines } from './command-list.ts'
import type { You } from './block.ts'
import { createList, type List, type ListContent } from './list.ts'
import { createModelChoice, type ModelChoiceParts } from './model-choice.ts'
import { receiptLines } from './receipt-lines.ts'
import { questionLine } from './gate-lines.ts'
import { timeWords } from './format.ts'

/** Maximum characters of a tool's or document's text in a list. */
const maxBriefChars = 400

export type SlashCommandParts = ModelChoiceParts & {
  readonly client: OperatorClient
  readonly now: () => number
  readonly show: (list: List) => void
  readonly openThread: (id: string | undefined) => void
  readonly openGate: (gate: OpenGate) => void
  readonly threadId: () => string | undefined
  readonly lastTurn: () => string | undefined
  /** Attaches a file to the next message. */
  readonly attach: (path: string) => Promise<void>
  readonly attached: () => readonly Attached[]
  readonly detach: (file: Attached) => void
  /** The queued messages of the open thread. */
  readonly queued: () => readonly You[]
  /** Puts a queued message into the composer, to change it. */
  readonly editQueued: (message: You) => void
  readonly quit: () => void
}

/** Returns the function that runs a command with the words after it. */
export function createSlashCommands(parts: SlashCommandParts): (name: CommandName, rest: string) => Promise<void> {
  const { client, theme, now, show, tell, openThread, openGate } = parts
  const open = (content: ListContent): void => show(createList(content, theme))
  const text = (title: string, lines: readonly string[], none = ''): void =>
    open({ title, text: () => (lines.length > 0 ? lines : [none]) })
  const model = createModelChoice(parts, open)

  async function threads(): Promise<void> {
    listThreads(await client.threads())
  }

  function listThreads(all: readonly Thread[]): void {
    const rows = all.map(({ id, door, title, updatedAt, state }) => ({
      text: `${id === parts.threadId() ? '▌' : ' '} ${doorOf(door).sign} ${proseOf(title)}  ${theme.dim(`${state === 'running' ? 'running, ' : ''}${timeWords(updatedAt, now())}`)}`,
      pick: () => openThread(id),
    }))
    open({ title: 'Threads', rows, empty: 'No threads yet' })
  }

  /** Opens a thread by its id, a prefix of the id, or words of its title. */
  async function openNamed(words: string): Promise<void> {
    if (words === '') return threads()
    const all = await client.threads()
    const found = all.filter(
      ({ id, title }) => id.startsWith(words) || title.toLowerCase().includes(words.toLowerCase()),
    )
    const [only] = found
    if (only && found.length === 1) return openThread(only.id)
    // The list is limited: the id may be of an older thread.
    if (!only && (await client.thread(words))) return openThread(words)
    if (!only) return tell(`No thread is called ${printable(words)}: /threads lists them.`)
    listThreads(found)
  }

  async function tools(): Promise<void> {
    const words = { read: 'reads', keep: 'keeps', write: 'writes', danger: 'can harm', varies: 'reads or writes' }
    const all = await client.tools()
    const lines = all.flatMap(({ name, description, effects, verdict }) => [
      `${theme.bold(proseOf(name))}  ${theme.dim(`${words[effects]}, ${verdictWords(verdict)}`)}`,
      `  ${brief(description)}`,
    ])
    text('Tools', lines, 'No tools')
  }

  async function memory(query: string): Promise<void> {
    const found = await client.memory(query)
    const lines = found.flatMap(({ path, words, updatedAt }) => [
      `${theme.bold(proseOf(path))}  ${theme.dim(timeWords(updatedAt, now()))}`,
      `  ${brief(words)}`,
    ])
    text('Memory', lines, query === '' ? 'No documents yet' : `Nothing matches ${printable(query)}.`)
  }

  async function missions(): Promise<void> {
    const { missions: all, next_cursor: older } = (await client.missions({ do: 'list' })) as MissionsJson
    const lines = all.flatMap(({ title, status, understood, paused_because: because, last_run: last }) => [
      `${theme.bold(brief(title))}  ${theme.dim(`${status}${last ? `, last run ${last.outcome ?? 'running'}` : ''}`)}`,
      `  ${proseOf(because ?? understood)}`,
    ])
    if (older !== null) lines.push(theme.commands('Older ones that are done: atrium mission list'))
    text('Missions', lines, 'No missions yet: ask for one, such as "Remind me in an hour to …"')
  }

  async function skills(): Promise<void> {
    const all = await client.skills()
    const lines = all.flatMap(({ name, description, enabled, untrusted }) => [
      `${theme.bold(`/${name}`)}  ${theme.dim(enabled ? 'on' : 'off')}${untrusted ? `, ${theme.sun('untrusted')}` : ''}`,
      `  ${brief(description)}`,
    ])
    text('Skills', lines, theme.commands('No skills yet: atrium skill add FOLDER'))
  }

  async function receipt(words: string): Promise<void> {
    const turnId = words === '' ? parts.lastTurn() : words
    if (turnId === undefined) return tell('There is no turn yet that could have a receipt.')
    let found = await client.receipt(turnId)
    if (!found) return tell(`No turn has the id ${printable(turnId)}.`)
    let lines = receiptLines(found, theme)
    open({
      title: 'Receipt',
      text: () => lines,
      async renew() {
        if (!found || ended(found.turn.status)) return
        found = await client.receipt(turnId)
        if (found) lines = receiptLines(found, theme)
      },
    })
  }

  async function waiting(): Promise<void> {
    const gates = await client.gates()
    const rows = gates.map((gate) => ({
      text: `${theme.sun('●')} ${doorOf(gate.turn.door).sign} ${questionLine(gate.gate)}  ${theme.dim(timeWords(gate.at, now()))}`,
      pick: () => openGate(gate),
    }))
    open({ title: 'Waiting for you', rows, empty: 'Nothing waits for you' })
  }

  /** Attaches a file. Without a path, lists the attached files; Enter removes one. */
  async function attach(path: string): Promise<void> {
    if (path !== '') return parts.attach(path)
    const rows = parts.attached().map((file) => ({ text: fileWords(namedFile(file)), pick: () => parts.detach(file) }))
    open({
      title: 'Attached',
      rows,
      does: 'takes it away',
      empty: 'No files yet: /attach PATH puts one beside your next message',
    })
  }

  /** Lists the queued messages: Enter changes one, Delete removes one. */
  function queue(): void {
    const rows = parts.queued().map((message) => ({
      text: brief(message.text),
      pick: () => parts.editQueued(message),
      remove: () =>
        parts.attempt(client.removeQueued(message.turnId).then(() => tell('The queued message is removed.'))),
    }))
    open({ title: 'Queued messages', rows, does: 'changes it', empty: 'No message waits in this thread' })
  }

  /** Makes a fresh link, also while an earlier one still works. */
  async function login(): Promise<void> {
    const link = await client.login()
    if (link === undefined) return tell('This service has no page: it runs with GATEWAY_ENABLED=false.')
    text('Sign in', ['Open this link in a browser. It works once, within 10 minutes.', '', theme.link(link, link)])
  }

  async function stopAll(): Promise<void> {
    const threadId = parts.threadId()
    if (threadId === undefined) return tell('Nothing runs here.')
    const { removed, stopped } = await client.stopAll(threadId)
    if (removed > 0)
      return tell(`Stopped, and ${countWords(removed, 'queued message')} removed. Ctrl+P brings back what you wrote.`)
    tell(stopped ? 'Stopped.' : 'Nothing runs here.')
  }

  return async (name, rest) => {
    switch (name) {
      case '/threads':
        return threads()
      case '/new':
        openThread(undefined)
        // Words after it are sent at once.
        return rest === '' ? tell('A new thread begins with your next message.') : undefined
      case '/open':
        return openNamed(rest)
      case '/model':
        return model(rest)
      case '/tools':
        return tools()
      case '/memory':
        return memory(rest)
      case '/missions':
        return missions()
      case '/skills':
        return skills()
      case '/receipt':
        return receipt(rest)
      case '/attach':
        return attach(rest)
      case '/waiting':
        return waiting()
      case '/queue':
        return queue()
      case '/stop':
        return stopAll()
      case '/login':
        return login()
      case '/help':
        return open({ title: 'Help', text: helpLines })
      case '/quit':
        return parts.quit()
    }
  }
}

/** The verdict of the current policy on a tool's typical calls. */
function verdictWords({ clean, tainted }: OperatorTool['verdict']): string {
  const words = { allow: 'runs unasked', ask: 'asks first', deny: 'refused' }
  return clean === tainted ? words[clean] : `${words[clean]}, after outside text ${words[tainted]}`
}

function brief(text: string): string {
  return proseOf(text.slice(0, maxBriefChars)).replaceAll(/\s+/g, ' ').trim()
}
