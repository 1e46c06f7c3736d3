// `atrium mcp`: adds, lists, sets, reviews, tests and removes MCP servers, with or without a running service, which notices.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { ToolTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import {
  type McpAdmin,
  type McpEffect,
  type McpImport,
  type McpServerView,
  type McpTarget,
  type McpToolView,
  noServer,
  serverNamed,
} from '#core/mcp.ts'
import { countOn, countWords, offeredWords } from '#core/words.ts'
import { printable } from '#safety/printable.ts'
import { readImport } from '#mcp/import.ts'
import { checkServerName } from '#mcp/names.ts'
import { readHeaders, readVariables } from '#mcp/target.ts'
import { withOpenTools } from './home-tools.ts'
import { toolWire } from '#doors/web/mcp-wire.ts'
import { readNamedFile } from './named-file.ts'
import { agrees } from './prompts.ts'
import { firstLine, inColumns, inPlainText, listedBy, print, say, shellQuoted, table } from './report.ts'
import { reloadService } from './running-service.ts'
import { stoppable } from './stoppable.ts'

/** How long servers without tools are asked for them by a list. */
const askMs = 5_000
const maxFileBytes = 1024 * 1024

type Options = { readonly json?: boolean; readonly yes?: boolean }
type AddOptions = Options & {
  readonly url?: string
  readonly env?: readonly string[]
  readonly header?: readonly string[]
  readonly everyone?: boolean
}
type ServersWork = (servers: McpAdmin, signal: AbortSignal) => Promise<void>
type SetOptions = { readonly effect?: McpEffect; readonly everyone?: boolean }

/** Starts the server once: what cannot be started is not added. */
export async function addServer(name: string, command: readonly string[], options: AddOptions): Promise<void> {
  checkServerName(name)
  const target = targetOf(name, command, options)
  await changeServers(async (servers, signal) => {
    if (!options.json) process.stderr.write(`Starting ${name} …\n`)
    const server = await withPathHint(target, () =>
      servers.add({ name, target, everyone: options.everyone ?? false }, signal),
    )
    const tools = offeredWords(countOn(server.tools), server.tools.length)
    const next =
      server.status === 'sign_in'
        ? `It needs a sign-in: atrium mcp auth ${name}`
        : server.tools.length > 0
          ? `Each call asks first. To let one run at once: atrium mcp set ${name} ${firstTool(server)} --effect read`
          : 'It has no tools that the agent could use.'
    const text = [`Added ${name}: ${tools}.`, ...toolLines(server), next].join('\n')
    print(options, jsonOf(server), text)
  })
}

export function listServers(options: Options): Promise<void> {
  return withServers(async (servers, signal) => {
    const all = await askedServers(servers, signal)
    const rows = all.map(({ name, kind, everyone, tools, address }) => [
      name,
      kind,
      everyone ? 'everyone' : 'operator',
      countOn(tools) === tools.length ? String(tools.length) : `${countOn(tools)} of ${tools.length}`,
      String(tools.filter(({ status }) => status === 'changed').length),
      address,
    ])
    const head = ['NAME', 'KIND', 'FOR', 'TOOLS', 'CHANGED', 'ADDRESS']
    const text = [inColumns(table([head, ...rows])), ...all.flatMap(signInHint)].join('\n')
    print(options, all.map(jsonOf), all.length > 0 ? text : 'No MCP servers: see `atrium mcp add --help`')
  })
}

/** The servers. One over HTTP that has told no tools is asked once more, or only the one of a name: it may need a sign-in. */
async function askedServers(servers: McpAdmin, signal: AbortSignal, only?: string): Promise<readonly McpServerView[]> {
  const unknown = (await servers.list()).filter(
    ({ name, kind, tools }) => kind === 'http' && tools.length === 0 && name === (only ?? name),
  )
  const soon = AbortSignal.any([signal, AbortSignal.timeout(askMs)])
  await Promise.all(unknown.map(({ name }) => servers.check(name, soon).catch(() => undefined)))
  signal.throwIfAborted()
  if (unknown.length > 0) await reloadService()
  return servers.list()
}

/** A server as the API shows it, and its tools with their schemas. */
function jsonOf(server: McpServerView) {
  return { ...server, tools: server.tools.map((tool) => ({ ...toolWire(tool), schema: tool.schema })) }
}

function signInHint({ name, status }: McpServerView): string[] {
  return status === 'sign_in' ? [`${name} needs a sign-in: \`atrium mcp auth ${name}\``] : []
}

export function showServer(name: string, options: Options): Promise<void> {
  return withServers(async (servers, signal) => {
    const server = serverNamed(await askedServers(servers, signal, name), name)
    const { address, kind, everyone, instructions } = server
    const text = [
      `${name} (${kind}): ${address}`,
      `Its tools are for ${everyone ? 'everyone' : 'the operator'}.`,
      '',
      ...(server.tools.length > 0
        ? toolLines(server)
        : [`It has no tools yet. To read its list: atrium mcp test ${name}`]),
      ...signInHint(server),
      ...changeHint(server),
      ...(instructions === '' ? [] : ['', 'The server says about itself (the model never reads this):', instructions]),
    ]
    print(options, jsonOf(server), printable(text.join('\n'), { lines: true }))
  })
}

export async function setServer(name: string, tool: string | undefined, options: SetOptions): Promise<void> {
  const { effect, everyone } = options
  if ((tool === undefined) !== (effect === undefined) || (effect === undefined && everyone === undefined)) {
    throw new AppError('invalid_input', 'give a tool with --effect read, write or off, or --everyone for all its tools')
  }
  await changeServers(async (servers) => {
    if (everyone !== undefined) {
      await servers.setEveryone(name, everyone)
      say(`The tools of ${name} are for ${everyone ? 'everyone' : 'the operator'}.`)
    }
    if (tool === undefined || effect === undefined) return
    serverNamed(await servers.list(), name)
    await listedBy(`atrium mcp info ${name}`, () => servers.setEffect(name, tool, effect))
    const words = { read: 'Its calls run at once.', write: 'Each call asks first.', off: 'The agent no longer has it.' }
    say(`${printable(tool)}: ${effect}. ${words[effect]}`)
  })
}

/** Shows what changed and accepts it. The server itself is not started: the list is that of its last start. */
export async function reviewServer(name: string, tool: string | undefined, options: Options): Promise<void> {
  await changeServers(async (servers) => {
    const { tools } = serverNamed(await servers.list(), name)
    const changed = tools.filter((each) => each.status === 'changed' && (tool === undefined || each.name === tool))
    if (changed.length === 0) return print(options, { changed }, `Nothing has changed in ${tool ?? name}.`)
    if (!options.json) {
      const lines = changed.flatMap((each) => [`${each.name}:`, each.difference ?? '', ''])
      process.stdout.write(`${printable(lines.join('\n'), { lines: true })}\n`)
    }
    if (options.yes !== true) {
      if (!process.stdin.isTTY)
        throw new AppError('invalid_input', 'nothing was accepted: read the above and pass --yes')
      if (!(await agrees(`Accept ${countWords(changed.length, 'change')}?`)))
        throw new AppError('tool_refused', 'nothing was accepted')
    }
    await servers.review(name, { tool, seen: changed.flatMap(({ change }) => change ?? []) })
    print(options, { changed }, `Accepted ${countWords(changed.length, 'change')}.`)
  })
}

/** Exit code 1 when the server or the call fails. */
export async function testServer(
  name: string,
  tool: string | undefined,
  options: Options & { readonly params?: string },
): Promise<void> {
  if (tool === undefined && options.params !== undefined)
    throw new AppError('invalid_input', `--params is for a tool: atrium mcp test ${name} TOOL --params JSON`)
  await changeServers(async (servers, signal) => {
    if (tool === undefined) {
      const server = await servers.check(name, signal)
      return print(
        options,
        jsonOf(server),
        [`${name} answers.`, ...toolLines(server), ...changeHint(server)].join('\n'),
      )
    }
    const params = options.params ?? '{}'
    serverNamed(await servers.list(), name)
    const trial = await listedBy(`atrium mcp info ${name}`, () => servers.test(name, { tool, params }, signal))
    print(options, trial, trialWords(trial))
    if (trial.error !== null) process.exitCode = 1
  })
}

/** Adds the servers of another client's file, and says what was taken and what was left. */
export async function importServers(file: string, options: Options): Promise<void> {
  const text = (await readNamedFile(file, maxFileBytes)).toString()
  // Without the servers that exist: a file that cannot be used is refused before anything is said or opened.
  const { servers: found } = readImport(text, { taken: [], looksSecret: () => false })
  let isStopped = false
  await changeServers(async (servers, signal) => {
    if (!options.json && found.length > 0) process.stderr.write('Starting each server once …\n')
    const report = await servers.importServers(text, signal)
    isStopped = signal.aborted
    if (isStopped && report.added.length === 0) signal.throwIfAborted()
    print(options, report, printable(importLines(report).join('\n'), { lines: true }))
  })
  if (isStopped) throw new AppError('interrupted', 'stopped: the servers that were added stay')
}

function importLines({ added, left }: McpImport): string[] {
  const lines = added.flatMap(({ name, was, tools, on, fault, sealed, missing, notes }) => [
    `Added ${name}${was === undefined ? '' : ` (${was} there)`}: ${offeredWords(on, tools)}.`,
    ...(sealed.length > 0 ? [`  sealed: ${sealed.join(', ')}`] : []),
    ...missing.map((each) => `  missing: atrium secret set ${each.secret} (for ${each.for})`),
    ...notes.map((note) => `  note: ${note}`),
    ...(fault === undefined ? [] : [`  not started: ${fault}`, `  its tools come with: atrium mcp test ${name}`]),
  ])
  return [...lines, ...left.map(({ name, why }) => `Left ${name}: ${why}.`)]
}

export async function removeServer(name: string): Promise<void> {
  await changeServers(async (servers) => {
    if (!(await servers.remove(name))) throw noServer(name)
  })
  say(`Removed ${name}.`)
}

function targetOf(name: string, words: readonly string[], { url, env = [], header = [] }: AddOptions): McpTarget {
  const [command, ...args] = words
  if ((command === undefined) === (url === undefined)) {
    const example = `atrium mcp add ${name} -- npx -y some-server, or atrium mcp add ${name} --url https://…`
    throw new AppError('invalid_input', `give a command after --, or --url: ${example}`)
  }
  if (url === undefined) {
    if (header.length > 0) throw new AppError('invalid_input', '--header is for servers with --url')
    return { kind: 'stdio', command: programOf(command ?? ''), args, env: readVariables(env) }
  }
  if (env.length > 0) throw new AppError('invalid_input', '--env is for servers with a command')
  return { kind: 'http', url, headers: readHeaders(header) }
}

/** A program that is given by a path is looked for from here; the service would look from its own folder. */
function programOf(command: string): string {
  return command.includes('/') ? resolve(command) : command
}

/** Adds to the fault of a start which argument names a file here, and none in the folder where servers start. */
async function withPathHint<T>(target: McpTarget, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (fault) {
    const [folder, args] = [homedir(), target.kind === 'stdio' ? target.args : []]
    const near = args.find((word) => !isAbsolute(word) && existsSync(word) && !existsSync(join(folder, word)))
    if (near === undefined || !(fault instanceof AppError)) throw fault
    const message = `${fault.message}. Servers start in ${folder}: write ${near} as ${resolve(near)}`
    throw new AppError(fault.code, message, { cause: fault })
  }
}

/** Runs work after which a running service reads the servers again: whoever starts a server stores the list that it told. */
async function changeServers(work: ServersWork): Promise<void> {
  try {
    await withServers(work)
  } finally {
    await reloadService()
  }
}

/** Opens the servers of this home for one command. Ctrl+C stops what was started. */
async function withServers(work: ServersWork): Promise<void> {
  try {
    // Asked twice, the process ends at once: the exit guard ends the servers.
    await stoppable('stopped: nothing was changed', (signal) =>
      withOpenTools(async ({ mcp }) => work(await mcp(), signal)),
    )
  } catch (fault) {
    throw inPlainText(fault)
  }
}

function toolLines({ tools }: McpServerView): string[] {
  if (tools.length === 0) return []
  const rows = tools.map((tool) => [
    `  ${printable(tool.name)}`,
    allowed(tool),
    firstLine(tool.refused ?? tool.description),
  ])
  return [inColumns(table(rows))]
}

function allowed({ status, effect, hints }: McpToolView): string {
  if (status !== 'on') return status
  const hint = hints?.readOnly ? ' (says it only reads)' : hints?.destructive ? ' (says it may destroy)' : ''
  return `${effect === 'read' ? 'runs at once' : 'asks'}${hint}`
}

function changeHint({ name, tools }: McpServerView): string[] {
  const changed = tools.filter(({ status }) => status === 'changed').length
  return changed === 0 ? [] : [`${countWords(changed, 'tool')} changed: atrium mcp review ${name}`]
}

function trialWords({ output, error, logs }: ToolTrial): string {
  const lines = [
    ...logs.map(({ level, message }) => `${level}: ${message}`),
    error === null ? (output ?? '') : `error: ${error}`,
  ]
  return printable(lines.join('\n'), { lines: true })
}

/** A tool for the example: one that says it only reads, if there is one. */
function firstTool({ tools }: McpServerView): string {
  const tool = tools.find(({ hints }) => hints?.readOnly) ?? tools[0]
  const name = printable(tool?.name ?? 'TOOL')
  // It is written to be pasted, and the server named it.
  return /^[\w./-]+$/.test(name) ? name : shellQuoted(name)
}
