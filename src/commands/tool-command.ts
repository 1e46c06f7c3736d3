// `atrium tool`: installs, lists, tests and removes components.
import type { ToolAdmin, ToolTrial, ToolView } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import type { ToolRecord } from '#core/tool-record.ts'
import { nameKey } from '#core/tool-names.ts'
import { countWords } from '#core/words.ts'
import { openSandbox } from '#app/components.ts'
import { isoTimeOrNull } from '#core/time.ts'
import { printable } from '#safety/printable.ts'
import { maxComponentBytes } from '#sandbox/child/limits.ts'
import { describeAccess, describeRows, addedRights } from '#sandbox/package/access-words.ts'
import { maxCapabilityFileBytes, readCapabilities } from '#sandbox/package/capabilities.ts'
import { openSteps, storedSecretName } from '#sandbox/auth/needs.ts'
import type { LoadedTool, Sandbox } from '#sandbox/supervisor/sandbox.ts'
import { agentNames, asAppError, componentNameFault } from '#sandbox/component-tools.ts'
import { readNamedFile } from './named-file.ts'
import { agrees } from './prompts.ts'
import { reloadService } from './running-service.ts'
import { firstLine, inColumns, inPlainText, paint, print, say, table } from './report.ts'
import { withComponents } from './home-components.ts'
import { withOpenTools } from './home-tools.ts'

type InstallOptions = { readonly capabilities: string; readonly name: string; readonly yes?: boolean }
type TestOptions = { readonly params: string; readonly context?: string; readonly json?: boolean }
type Open = { readonly store: Store; readonly sandbox: Sandbox }

/** Checks a component, shows what it may do, asks, and stores it. A running service uses it at once. */
export async function installTool(
  file: string,
  { capabilities: capabilityFile, name, yes }: InstallOptions,
): Promise<void> {
  const [component, capabilities] = await Promise.all([
    readNamedFile(file, maxComponentBytes),
    readNamedFile(capabilityFile, maxCapabilityFileBytes).then(String),
  ])
  await withSandbox(async ({ store, sandbox }) => {
    const installed = await store.tools.list()
    const before = installed.find((tool) => tool.name === name)
    const wants = readCapabilities(capabilities).capabilities
    const { actions } = wants
    const others = installed.filter((tool) => tool.name !== name)
    const fault = componentNameFault(name, actions) ?? shadows(agentNames(name, actions), others)
    if (fault) throw new AppError('invalid_input', `${fault}: choose another with --name`)
    process.stderr.write('Checking and compiling the component …\n')
    const loaded = await sandbox.load({ name, component, capabilities })
    for (const warning of loaded.warnings)
      process.stderr.write(`${paint('33', 'warning:', process.stderr)} ${printable(warning)}\n`)
    if (!(await hasConsent(loaded, before, yes ?? false))) throw new AppError('tool_refused', 'nothing was installed')
    const { sha256, description, schema } = loaded
    await store.tools.put({ name, sha256, capabilities, description, schema: JSON.stringify(schema) }, component)
    say(`Installed ${name} (sha256 ${sha256}).`)
    const stored = (await store.secrets.list()).map((secret) => secret.name)
    const steps = openSteps(wants, (secret) => stored.includes(storedSecretName(name, secret)))
    if (steps.length > 0) say(`Next: ${steps.map((step) => `atrium tool ${step} ${name}`).join(', then ')}`)
  })
  await reloadService()
}

export async function listTools(options: { json?: boolean }): Promise<void> {
  await lookAtTools(async (admin) => {
    const listed = await admin.list()
    const tools = listed.map((tool) => ({
      name: tool.name,
      built_in: tool.source === 'built-in',
      enabled: tool.enabled,
      version: tool.version ?? null,
      description: tool.description,
      brief: tool.about?.brief ?? null,
      sha256: tool.sha256 ?? null,
      installed_at: isoTimeOrNull(tool.installedAt),
      policy: tool.policy,
      verdict: tool.verdict,
    }))
    const rows = listed.map(({ name, source, enabled, version, verdict, about, description }) => [
      enabled ? name : `${name} (off)`,
      { 'built-in': 'built in', mcp: 'MCP', component: printable(version ?? 'unknown') }[source],
      verdict.clean === verdict.tainted ? verdict.clean : `${verdict.clean}, ${verdict.tainted}`,
      // Several tools share a brief: here each has a line of its own.
      firstLine(about?.may[0] ?? description),
    ])
    print(options, tools, inColumns(table([['NAME', 'VERSION', 'POLICY', 'DESCRIPTION'], ...rows])))
  })
}

export async function showTool(name: string, options: { json?: boolean }): Promise<void> {
  await lookAtTools(async (admin) => {
    const tool = (await admin.list()).find((each) => each.name === name)
    if (!tool) throw noTool(name)
    const { description, schema, capabilities = null, sha256 = null, access, source, server = '' } = tool
    const text = [
      `${name} ${tool.version ?? { 'built-in': '(built in)', mcp: `(of the MCP server ${server})`, component: '(unknown version)' }[source]}`,
      description,
      '',
      ...(access ? ['It', ...describeRows(access).map((line) => `  - ${line}`), ''] : []),
      ...(sha256 === null ? [] : [`sha256 ${sha256}`, '']),
      ...parametersOf(tool),
    ]
    print(options, { name, description, schema, capabilities, sha256 }, printable(text.join('\n'), { lines: true }))
  })
}

/** The parameters of a tool; of a component with actions those of each, under the name that the agent calls. */
function parametersOf({ name, schema, actions = [] }: ToolView): string[] {
  const [first] = actions
  if (!first) return ['Parameters:', JSON.stringify(schema, null, 2)]
  return [
    ...actions.flatMap((action) => [
      `Action ${action.name}${action.description === undefined ? '' : `: ${action.description}`}`,
      'Parameters:',
      JSON.stringify(action.schema, null, 2),
      '',
    ]),
    `To try an action: atrium tool test ${name} --context '${JSON.stringify(first.context)}' --params '{…}'`,
  ]
}

export async function removeTool(name: string): Promise<void> {
  await lookAtTools(async (admin) => {
    if (!(await admin.remove(name))) throw noTool(name)
  })
  await reloadService()
  say(`Removed ${name}.`)
}

/** Runs one call and prints its result, logs and requests. Exit code 1 on an error. */
export async function testTool(name: string, { params, context, json }: TestOptions): Promise<void> {
  await lookAtTools(async (admin) => {
    const trial = await admin.test(name, { params, ...(context !== undefined && { context }) })
    if (!trial) throw noTool(name)
    const { output, error, logs, requests, blocked } = trial
    print({ json: json ?? false }, { output, error, logs, requests, blocked }, words(trial))
    if (error !== null) process.exitCode = 1
  })
}

function words({ output, error, logs, requests, blocked }: ToolTrial): string {
  const text = [
    ...logs.map(({ level, message }) => `${level}: ${message}`),
    ...requests.map(({ method, url, status, error: why }) => `${method} ${url} ${status ?? `failed: ${why}`}`),
    ...blocked.map(({ method, url, reason }) => `blocked: ${method} ${url}: ${reason}`),
    error === null ? (output ?? '') : `error: ${error}`,
  ].join('\n')
  return printable(text, { lines: true })
}

/**
 * Shows what a tool may do, and asks for consent on a terminal. Without a terminal the command itself is the consent to a
 * new tool; an update that widens the access of an installed tool needs --yes.
 */
async function hasConsent(loaded: LoadedTool, before: ToolRecord | undefined, yes: boolean): Promise<boolean> {
  const old = before && readCapabilities(before.capabilities).capabilities
  const added = old ? addedRights(old, loaded.capabilities) : describeAccess(loaded.capabilities)
  if (old && added.length === 0) return true
  const more = loaded.description.length - (loaded.description.split('\n', 1)[0] ?? '').length
  const rest = more > 0 ? ` (and ${countWords(more, 'more character')} that the model reads)` : ''
  process.stderr.write(
    `${loaded.name} ${printable(loaded.capabilities.version)}: ${firstLine(loaded.description)}${rest}\n`,
  )
  const lines = added.map((line) => `  - ${printable(line)}\n`)
  process.stderr.write(`${old ? 'The update also' : 'It'}\n${lines.join('')}`)
  if (yes) return true
  if (!process.stdin.isTTY) {
    if (!old) return true
    throw new AppError('invalid_input', 'the update widens what it may do: read the list above and pass --yes')
  }
  return agrees('Install it?')
}

/** The reason to refuse these names: one is, or looks like, another tool's name. */
function shadows(names: readonly string[], others: readonly ToolRecord[]): string | undefined {
  for (const other of others) {
    const theirs = namesOf(other).map(nameKey)
    const taken = names.find((name) => theirs.includes(nameKey(name)))
    if (taken) return `${taken} is, or looks like, a name of the tool ${other.name}`
  }
  return undefined
}

/** The names that the agent sees. For a tool that can no longer be read, only its own: the service leaves it out. */
function namesOf({ name, capabilities }: ToolRecord): string[] {
  try {
    return agentNames(name, readCapabilities(capabilities).capabilities.actions)
  } catch {
    return [name]
  }
}

/** Errors may quote the tool's author, so they are made printable. */
async function lookAtTools(work: (tools: ToolAdmin) => Promise<void>): Promise<void> {
  try {
    await withOpenTools(({ admin }) => work(admin))
  } catch (error) {
    throw inPlainText(asAppError(error))
  }
}

/** Opens the sandbox of this home for one command. */
export async function withSandbox(work: (open: Open) => Promise<void>): Promise<void> {
  await withComponents(async (parts) => {
    const sandbox = await openSandbox(parts)
    try {
      await work({ store: parts.store, sandbox })
    } catch (error) {
      throw inPlainText(asAppError(error))
    } finally {
      await sandbox.close()
    }
  })
}

function noTool(name: string): AppError {
  return new AppError('not_found', `no tool is named ${name}: see \`atrium tool list\``)
}
