// `atrium user`: users and their tokens.
import { loadConfig } from '#config.ts'
import {
  type Erased,
  maxTokenDays,
  type NewToken,
  tokenToolPattern,
  userNamePattern,
  userNameRule,
} from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { countWords } from '#core/words.ts'
import { eraseWorkspace } from '#app/workspace-folder.ts'
import { dayMs, isoTime } from '#core/time.ts'
import { hashToken, newToken } from '#lib/token.ts'
import { removeUser as eraseUser } from '#turns/user-removal.ts'
import { findUser, noUser } from './find-user.ts'
import { agrees } from './prompts.ts'
import { askService } from './running-service.ts'
import { minuteOf, paint, pasteable, print, printValue, table } from './report.ts'
import { withStore } from './home-store.ts'
import { withOpenTools } from './home-tools.ts'

type Options = { readonly json?: boolean; readonly expiresInDays?: string }

export function addUser(name: string, options: Options): Promise<void> {
  return withStore(async ({ accounts }) => {
    checkName(name)
    const token = newToken()
    const user = await accounts.addUser(name, { hash: hashToken(token), ...expiry(options) })
    show(options, user, token)
  })
}

export function addToken(name: string, options: Options & { readonly tools?: string }): Promise<void> {
  return withStore(async ({ accounts }) => {
    const token = newToken()
    const tools = toolsOf(options)
    const user = await accounts.addToken(name, { hash: hashToken(token), ...expiry(options), ...tools })
    show(options, user, token, tools)
    if (tools.tools?.length) await warnOfUnknown(tools.tools, user.id)
  })
}

/** A tool may come later, so the token is made all the same. */
async function warnOfUnknown(names: readonly string[], user: UserId): Promise<void> {
  await withOpenTools(async ({ tools, admin }) => {
    const known = new Set([...tools(user).byName.keys(), ...(await admin.list()).map(({ name }) => name)])
    const unknown = names.filter((name) => !known.has(name))
    if (unknown.length === 0) return
    const words = `no tool is named ${unknown.join(' or ')}: see \`atrium tool list\``
    process.stderr.write(`${paint('33', 'warning:', process.stderr)} ${pasteable(words)}\n`)
  })
}

export function listUsers(options: Options): Promise<void> {
  return withStore(async ({ accounts }) => {
    const users = await accounts.listUsers()
    const rows = users.map(({ name, tokens, createdAt }) => [name, String(tokens), minuteOf(isoTime(createdAt))])
    const text =
      users.length > 0
        ? table([['NAME', 'TOKENS', 'SINCE'], ...rows])
        : 'No users yet. Add one with `atrium user add NAME`.'
    print(
      options,
      users.map(({ id, name, tokens, createdAt }) => ({
        id,
        name,
        tokens,
        created_at: isoTime(createdAt),
      })),
      text,
    )
  })
}

/** Erases a user with all their data. Asks first on a terminal, and needs --yes elsewhere. */
export async function removeUser(name: string, options: Options & { yes?: boolean }): Promise<void> {
  const config = loadConfig()
  await withStore((store) => findUser(store, name))
  if (!options.yes) await confirmRemoval(name)
  const reply = (await askService('/users/remove', { name })) as Erased | undefined
  const erased =
    reply ?? (await withStore((store) => eraseUser({ store, eraseFiles: (id) => eraseWorkspace(config, id) }, name)))
  if (!erased) throw noUser(name)
  const { threads, turns, items, documents, files, grants, secrets, skills } = erased
  const ofThreads = `${countWords(threads, 'thread')} with ${countWords(turns, 'turn')} and ${countWords(items, 'item')}`
  const things = [countWords(documents, 'document'), `${countWords(files, 'file')} of their workspace`]
  const rest = `${countWords(skills, 'skill')}, ${countWords(secrets, 'secret')} and ${countWords(grants, 'grant')}`
  const text = `Removed ${name}: their tokens no longer work. Erased: ${[ofThreads, ...things, rest].join(', ')}.`
  print(options, { removed: name, erased }, text)
}

async function confirmRemoval(name: string): Promise<void> {
  const all = `${name} and all that is theirs: threads, documents, files`
  if (!process.stdin.isTTY)
    throw new AppError('invalid_input', `without a terminal, user remove needs --yes: it would erase ${all}`)
  if (!(await agrees(`Erase ${all}?`))) throw new AppError('forbidden', 'nothing was removed')
}

function show(
  options: Options,
  user: { id: string; name: string },
  token: string,
  { tools }: Pick<NewToken, 'tools'> = {},
): void {
  const narrowed = tools ? ` Its turns use these tools of the service: ${tools.join(', ') || 'none'}.` : ''
  const note = `The token of ${user.name}, shown once. Send it as \`Authorization: Bearer …\`.${narrowed}`
  const data = { user: { id: user.id, name: user.name }, token, ...(tools && { tools }) }
  printValue(options, data, { value: token, note })
}

/** `none`, or names with commas between them. */
function toolsOf({ tools }: { readonly tools?: string }): Pick<NewToken, 'tools'> {
  if (tools === undefined) return {}
  if (tools === 'none') return { tools: [] }
  const names = tools.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !tokenToolPattern.test(name))
  if (wrong === undefined) return { tools: [...new Set(names)] }
  throw new AppError('invalid_input', `--tools takes none, or names of tools with commas between them, not ${tools}`)
}

function checkName(name: string): void {
  if (userNamePattern.test(name)) return
  throw new AppError('invalid_input', `a user name has ${userNameRule}`)
}

function expiry({ expiresInDays }: Options): { expiresAt?: number } {
  if (expiresInDays === undefined) return {}
  const days = Number(expiresInDays)
  if (!Number.isInteger(days) || days < 1 || days > maxTokenDays) {
    throw new AppError(
      'invalid_input',
      `--expires-in-days takes a whole number from 1 to ${maxTokenDays}, not ${expiresInDays}`,
    )
  }
  return { expiresAt: Date.now() + days * dayMs }
}
