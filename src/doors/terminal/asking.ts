// What a gate asks, in the words that the browser has for it too.
import type { Gate } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import { printable } from '#safety/printable.ts'

export type Asked = Pick<Gate, 'kind' | 'name' | 'args' | 'preview' | 'credential'>

/** A longer command is told by its first word: all of it stands below. */
const maxCommandLength = 60

/** What a request to a repository does, by the end of its address. */
const gitHubActs: ReadonlyMap<string, string> = new Map([
  ['issues', 'Open an issue'],
  ['pulls', 'Open a pull request'],
  ['releases', 'Publish a release'],
])

/** The question, with verb and object. */
export function questionOf({ kind, name, args, preview = '', credential }: Asked): string {
  const values = objectIn(args) ?? {}
  const written = (field: string): string => (typeof values[field] === 'string' ? values[field] : '')
  const text = (field: string): string => printable(written(field))
  if (kind === 'credential') return `Sign in to ${printable(credential?.title ?? credential?.tool ?? name)}?`
  if (name === 'workspace_shell') return commandQuestion(written('command'))
  if (name === 'http_request' || name === 'web_fetch')
    return requestQuestion(text('url'), (text('method') || 'GET').toUpperCase())
  if (name.startsWith('memory_')) return `${name === 'memory_delete' ? 'Delete' : 'Write'} memory ${text('path')}?`
  if (name === 'workspace_write' || name === 'workspace_edit') {
    return `${preview.startsWith('--- /dev/null') ? 'Create' : 'Change'} ${text('path')}?`
  }
  return `Run ${printable(name)}?`
}

/** That it waits: nothing of it has been done. */
export function notYetOf({ kind, name }: Pick<Asked, 'kind' | 'name'>): string {
  if (kind !== 'approval') return ''
  return name === 'http_request' || name === 'web_fetch' ? 'Nothing has been sent yet.' : 'Nothing has happened yet.'
}

/** What a sign-in is for, and the command that does it; the words of the tool where they name none. */
export function signInLines({ name, prompt, credential }: Pick<Gate, 'name' | 'prompt' | 'credential'>): string[] {
  const command = /`([^`]+)`/.exec(prompt)?.[1]
  if (command === undefined || !credential) return printable(prompt, { lines: true }).split('\n')
  const lacks = prompt.includes(' refused ') ? 'was refused' : 'is not set'
  return [
    printable(`${name} needs ${credential.secret}, which ${lacks}. The turn goes on by itself after:`),
    `  ${printable(command)}`,
  ]
}

function commandQuestion(command: string): string {
  if (command.length <= maxCommandLength && !command.includes('\n')) return `Run \`${printable(command)}\`?`
  return `Run a command that begins with \`${printable(command.trim().split(/\s/, 1)[0] ?? '')}\`?`
}

function requestQuestion(url: string, method: string): string {
  const host = URL.parse(url)?.host ?? url
  const [, repository = '', what = ''] =
    (method === 'POST' && /^https:\/\/api\.github\.com\/repos\/([\w.-]+\/[\w.-]+)\/(\w+)$/.exec(url)) || []
  const act = gitHubActs.get(what)
  if (act !== undefined) return `${act} in ${repository} on GitHub?`
  return method === 'GET' || method === 'HEAD' ? `Open a page of ${host}?` : `Send a ${method} request to ${host}?`
}
