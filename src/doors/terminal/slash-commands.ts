// The slash commands: each opens a box or does one action.
import type { OfferedModel } from '#core/admin.ts'
import { doorOf } from '#core/doors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Thread } from '#core/turn.ts'
import {
  amountWords,
  costFigure,
  costWords,
  countWords,
  decisionWords,
  durationWords,
  numberWords,
} from '#core/words.ts'
import { printable, proseOf } from '#safety/printable.ts'
import type { MissionJson } from '#missions/mission-wire.ts'
import type { OperatorClient, OperatorTool } from '#turns/operator-client.ts'
import type { Receipt } from '#turns/receipt.ts'
import { type Attached, fileWords } from './attachment-list.ts'
import { type CommandName, helpLines } from './command-list.ts'
import type { You } from './blocks.ts'
import { createList, type List, type ListContent } from './list.ts'
import type { Theme } from './theme.ts'
import { questionLine } from './gate-lines.ts'
import { timeWords } from './format.ts'

/** Maximum characters of a tool's or document's text in a list. */
const maxBriefChars = 400

export type SlashCommandParts = {
  readonly client: OperatorClient
  readonly theme: Theme
  readonly now: () => number
  /** Tests and stores a model; `force` stores it without a test. Throws when it does not answer: nothing has changed. */
  readonly chooseModel: (provider: string, name: string | undefined, options: { force: boolean }) => Promise<string>
  /** The model that was chosen for the open thread. */
  readonly threadModel: () => string | undefined
  /** Chooses the model of the open thread, null for the usual one. */
  readonly chooseThreadModel: (model: string | null) => Promise<void>
  readonly show: (list: List) => void
  readonly tell: (words: string) => void
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
  /** Shows the error of failed work. */
  readonly attempt: (work: Promise<unknown>) => void
  readonly quit: () => void
}

export interface SlashCommands {
  run(name: CommandName, rest: string): Promise<void>
  /** Opens a gate, also one of another thread. */
  pick(gate: OpenGate): void
}

export function createSlashCommands(parts: SlashCommandParts): SlashCommands {
  const { client, theme, now, show, tell, openThread, openGate } = parts
  const open = (content: ListContent): void => show(createList(content, theme))
  const text = (title: string, lines: readonly string[]): void => open({ title, text: () => lines })

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

  /** Lists the models for this thread; a name of one chooses it. Other words choose the model of the whole service. */
  async function model(words: string): Promise<void> {
    const offered = await client.models()
    const named = offered.find(({ id, name, role }) => role !== 'usual' && (id === words || name === words))
    if (named) return choose(named)
    const typed = words.split(/[\s/]+/).filter(Boolean)
    const force = typed.includes('--force')
    const [provider, ...name] = typed.filter((word) => word !== '--force')
    if (provider !== undefined) {
      tell(`Trying ${printable(words)} …`)
      return tell(await parts.chooseModel(provider, name.length > 0 ? name.join('/') : undefined, { force }))
    }
    if (offered.length > 1) return listModels(offered)
    const { provider: current, model: called, skippedModels } = await client.status()
    text('Model', [
      `${proseOf(called)}${called === current ? '' : ` (${proseOf(current)})`} answers.`,
      ...skippedModels.map((each) => `${proseOf(each)} is skipped for now after repeated failures`),
      '',
      'Choose another: /model PROVIDER MODEL, for example /model ollama qwen3',
      'What each needs: atrium model list',
    ])
  }

  function listModels(offered: readonly OfferedModel[]): void {
    const chosen = parts.threadModel()
    const rows = offered.map((each) => {
      const isChosen = each.role === 'usual' ? chosen === undefined : chosen === each.id
      const words = { usual: 'the usual one', stands_in: 'stands in', offered: '' }[each.role]
      const about = [words, pricesOf(each)].filter(Boolean).join(', ')
      const pick = (): void => parts.attempt(choose(each))
      return { text: `${isChosen ? '▌' : ' '} ${proseOf(each.id)}  ${theme.dim(about)}`, pick }
    })
    open({ title: 'Model for this thread', rows, does: 'chooses it', empty: '' })
  }

  async function choose({ id, role }: OfferedModel): Promise<void> {
    await parts.chooseThreadModel(role === 'usual' ? null : id)
    tell(`This thread uses ${proseOf(id)} from the next message on.`)
  }

  async function tools(): Promise<void> {
    const words = { read: 'looks', keep: 'keeps', write: 'writes', danger: 'can harm', varies: 'looks or writes' }
    const all = await client.tools()
    const lines = all.flatMap(({ name, description, effects, verdict }) => [
      `${theme.bold(proseOf(name))}  ${theme.dim(`${words[effects]}, ${verdictWords(verdict)}`)}`,
      `  ${brief(description)}`,
    ])
    text('Tools', lines.length > 0 ? lines : ['No tools'])
  }

  async function memory(query: string): Promise<void> {
    const found = await client.memory(query)
    const lines = found.flatMap(({ path, words, updatedAt }) => [
      `${theme.bold(proseOf(path))}  ${theme.dim(timeWords(updatedAt, now()))}`,
      `  ${brief(words)}`,
    ])
    const none = query === '' ? 'No documents yet' : `Nothing matches ${printable(query)}.`
    text('Memory', lines.length > 0 ? lines : [none])
  }

  async function missions(): Promise<void> {
    const all = (await client.missions({ do: 'list' })) as readonly MissionJson[]
    const lines = all.flatMap(({ title, status, understood, paused_because: because, last_run: last }) => [
      `${theme.bold(brief(title))}  ${theme.dim(`${status}${last ? `, last run ${last.outcome ?? 'running'}` : ''}`)}`,
      `  ${proseOf(because ?? understood)}`,
    ])
    text('Missions', lines.length > 0 ? lines : ['No missions yet: ask for one, such as "Remind me in an hour to …"'])
  }

  async function skills(): Promise<void> {
    const all = await client.skills()
    const lines = all.flatMap(({ name, description, enabled, untrusted }) => [
      `${theme.bold(`/${name}`)}  ${theme.dim(enabled ? 'on' : 'off')}${untrusted ? `, ${theme.sun('untrusted')}` : ''}`,
      `  ${brief(description)}`,
    ])
    const none = 'No skills yet: atrium skill add FOLDER'
    text('Skills', lines.length > 0 ? lines : [none])
  }

  async function receipt(words: string): Promise<void> {
    const turnId = words === '' ? parts.lastTurn() : words
    if (turnId === undefined) return tell('There is no turn yet that could have a receipt.')
    const found = await client.receipt(turnId)
    if (!found) return tell(`No turn has the id ${printable(turnId)}.`)
    text('Receipt', receiptLines(found, theme))
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
    const rows = parts.attached().map((file) => ({ text: fileWords(file), pick: () => parts.detach(file) }))
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

  async function stopAll(): Promise<void> {
    const threadId = parts.threadId()
    if (threadId === undefined) return tell('Nothing runs here.')
    const removed = await client.stopAll(threadId)
    tell(
      removed === 0
        ? 'Stopped.'
        : `Stopped, and ${countWords(removed, 'queued message')} removed. Ctrl+P brings back what you wrote.`,
    )
  }

  return {
    pick: openGate,
    async run(name, rest) {
      switch (name) {
        case '/threads':
          return threads()
        case '/new':
          openThread(undefined)
          return tell('A new thread begins with your next message.')
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
        case '/help':
          return open({ title: 'Help', text: helpLines })
        case '/quit':
          return parts.quit()
      }
    },
  }
}

/** The price per million tokens: `$3.00 in, $15.00 out`. */
function pricesOf({ inputUsd, outputUsd }: OfferedModel): string {
  if (inputUsd === null || outputUsd === null) return 'price unknown'
  if (inputUsd === 0 && outputUsd === 0) return 'free'
  return `${amountWords(inputUsd)} in, ${amountWords(outputUsd)} out per million tokens`
}

/** The verdict of the current policy on a tool's typical calls. */
function verdictWords({ clean, tainted }: OperatorTool['verdict']): string {
  const words = { allow: 'runs unasked', ask: 'asks first', deny: 'refused' }
  return clean === tainted ? words[clean] : `${words[clean]}, after outside text ${words[tainted]}`
}

function brief(text: string): string {
  return proseOf(text.slice(0, maxBriefChars)).replaceAll(/\s+/g, ' ').trim()
}

/** Cost first, then tools, hosts, secret names, model calls, approvals, safety notes, and the check of the log. */
function receiptLines(receipt: Receipt, { bold, clay, dim, act }: Theme): string[] {
  const { turn, modelCalls, tools, hosts, secrets, approvals, notes, costUsd, hash, verified } = receipt
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length > 0 ? ['', bold(title), ...lines.map((line) => `  ${line}`)] : []
  const calls = modelCalls.map(({ model, via, usage, ms }) => {
    const tokens = `${countWords(usage.inputTokens, 'token')} in, ${numberWords(usage.outputTokens)} out`
    const at = via ? ` at ${proseOf(via.host)}` : ''
    return `${proseOf(model)}${at}  ${tokens}, ${costWords(usage.costUsd)}, ${durationWords(ms)}`
  })
  const check =
    hash === undefined
      ? dim('no digest: the turn has not ended')
      : verified
        ? act('matches the log')
        : clay('does not match the log')
  return [
    `${bold('Cost')}  ${costFigure(costUsd)}   ${dim(turn.status)}`,
    ...part(
      'Tools',
      tools.map(({ name, ok, ms }) => `${ok ? act('✓') : clay('▲')} ${proseOf(name)}  ${durationWords(ms)}`),
    ),
    ...part('Hosts', hosts.map(proseOf)),
    ...part('Secrets', secrets.map(proseOf)),
    ...part('Model calls', calls),
    ...part(
      'Approvals',
      approvals.map(
        (each) => `${decisionWords(each)} by ${proseOf(each.by)}${each.scope ? `, for the ${each.scope}` : ''}`,
      ),
    ),
    ...part(
      'Safety notes',
      notes.map(({ rule, where }) => `${rule} in ${proseOf(where)}`),
    ),
    '',
    `${bold('Log')}  ${check}`,
    ...(hash === undefined ? [] : [dim(hash)]),
    dim(`turn ${turn.id}`),
  ]
}
