// `atrium backup` and `atrium restore`: one file with everything that a home and its database hold.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, loadConfig } from '#config.ts'
import { type BackupSource, makeBackup } from '#backup/backup.ts'
import { verifyBackup, type Summary } from '#backup/read-file.ts'
import { checkBackup, restoreBackup } from '#backup/restore.ts'
import { AppError } from '#core/errors.ts'
import { sizeWords, countWords } from '#core/words.ts'
import { settleRestore } from '#app/open-storage.ts'
import { type Home, lockHome, openHome, removeUnusedHome } from '#home.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { printable } from '#safety/printable.ts'
import { refusePipe } from './named-file.ts'
import { createProgress } from './progress-line.ts'
import { agrees } from './prompts.ts'
import { print } from './report.ts'
import { withStore } from './home-store.ts'

type Options = { readonly json?: boolean }

export async function backUp(file: string, options: Options & { withKey?: boolean; verify?: boolean }): Promise<void> {
  const progress = createProgress()
  if (options.verify) {
    await refusePipe(file)
    const summary = await verifyBackup(resolve(file), { onRead: (share) => progress.show('checking', share) })
    progress.end()
    return print(options, viewOf(file, summary), `${file} is complete and unchanged.\n${wordsOf(summary)}`)
  }
  const config = loadConfig()
  const home = openHome(config.home, { toRead: true })
  await settleRestore(home, { databaseUrl: config.databaseUrl, locked: false })
  const withKey = options.withKey ?? false
  try {
    const made = await makeBackup({
      ...sourceOf(config, home),
      file: resolve(file),
      withKey,
      onProgress: progress.show,
    })
    progress.end()
    const { skipped } = made
    const lines = [
      `Wrote ${file} (${sizeWords(made.bytes)}).`,
      wordsOf(made),
      ...(skipped.length > 0 ? [`Not in it as a whole, because they cannot be read: ${shown(skipped)}`] : []),
      withKey
        ? 'The master key is in it: whoever has the file can open every secret.'
        : 'The master key is not in it: keep a copy of it elsewhere, or use --with-key.',
    ]
    print(options, { ...viewOf(file, made), ...(skipped.length > 0 && { skipped }) }, lines.join('\n'))
  } finally {
    progress.end()
  }
}

export async function restore(file: string, options: Options & { yes?: boolean; replace?: boolean }): Promise<void> {
  const config = loadConfig()
  const isNew = !existsSync(config.home)
  const home = openHome(config.home)
  const unlock = lockHome(home)
  if (!unlock) throw new AppError('home_locked', `Atrium runs on ${config.home}: stop it first`)
  const progress = createProgress()
  try {
    await settleRestore(home, { databaseUrl: config.databaseUrl, locked: true })
    const replace = options.replace ?? false
    await refusePipe(file)
    const parts = { ...sourceOf(config, home), file: resolve(file), replace, onProgress: progress.show }
    const summary = await checkBackup(parts)
    progress.end()
    await confirm(file, summary, { ...options, home })
    const { aside } = await restoreBackup(parts, summary)
    progress.end()
    const closed = await withStore(({ secrets }) => secrets.unopenable())
    const names = closed.map(({ name }) => name)
    const lines = [
      `Restored ${file} into ${home.path}.`,
      wordsOf(summary),
      ...(aside === undefined ? [] : [`What was there before is in ${aside}.`]),
      ...(names.length > 0
        ? [
            `${countWords(names.length, 'secret')} cannot be opened without the key: ${shown(names)}`,
            'Set each anew: atrium secret set NAME',
          ]
        : []),
      'Start the service: atrium serve',
    ]
    const view = { ...viewOf(file, summary), ...(aside !== undefined && { aside }), unopenable: names }
    print(options, view, lines.join('\n'))
  } finally {
    progress.end()
    // Nothing was restored: the home was made for it alone.
    if (isNew) removeUnusedHome(home)
    unlock()
  }
}

async function confirm(
  file: string,
  summary: Summary,
  { yes, replace, home }: { yes?: boolean; replace?: boolean; home: Home },
): Promise<void> {
  if (yes) return
  const how = replace ? ' in place of what it has (a copy is kept)' : ''
  if (process.stdin.isTTY) {
    if (await agrees(`${wordsOf(summary)}\nRestore ${file} into ${home.path}${how}?`)) return
    throw new AppError('forbidden', 'nothing was restored')
  }
  if (replace) throw new AppError('invalid_input', 'without a terminal, --replace needs --yes: nothing was restored')
}

function sourceOf({ databaseUrl, masterKey, operatorToken }: Config, home: Home): BackupSource {
  return {
    home,
    ...withoutUndefined({ databaseUrl, masterKey, operatorToken }),
  }
}

type Counted = Pick<Summary, 'header' | 'files' | 'bytes'>

function viewOf(file: string, { header, files, bytes }: Counted) {
  return { file, bytes, ...header, files }
}

/** The contents of a backup. Its header is foreign text. */
export function wordsOf({ header, files }: Pick<Counted, 'header' | 'files'>): string {
  const { threads = 0, turns = 0, items = 0, users = 0, documents = 0 } = header.tables
  const counts = [
    countWords(users, 'user'),
    countWords(threads, 'thread'),
    countWords(turns, 'turn'),
    countWords(items, 'item'),
    countWords(documents, 'document'),
    countWords(files, 'file'),
  ]
  const made = header.created_at.slice(0, 16).replace('T', ' ')
  return printable(`From ${made} UTC, Atrium ${header.version.slice(0, 40)}: ${counts.join(', ')}.`)
}

function shown(names: readonly string[]): string {
  return names.map((name) => printable(name)).join(', ')
}
