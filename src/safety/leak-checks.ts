// Checks that a pattern cannot express: whether a value looks random, or like a real password.

/** The source of a pattern for a UUID in lower case. */
export const uuid = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}'

export function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

/** True when letters and digits, or small letters and capitals, alternate within one run, unlike in words or versions. */
export function looksRandom(value: string): boolean {
  const runs = value.split(/[^A-Za-z0-9]+/)
  if (runs.some((run) => run.length >= 16 && (changes(run) >= 3 || mixesCase(run)))) return true
  const all = runs.join('')
  return all.length >= 32 && changes(all) >= 6 && /[a-z]/.test(all) && /[A-Z]/.test(all)
}

/** Fewer letters and digits can be guessed by somebody who learns which guess was right. */
const minUnguessableChars = 16

/** True for a secret that nobody finds by guessing: 16 letters and digits or more that are no words and no number. */
export function isUnguessable(value: string): boolean {
  const all = value.replaceAll(/[^A-Za-z0-9]+/g, '')
  if (all.length < minUnguessableChars) return false
  const turns = all.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0
  return changes(all) >= 3 || (turns >= 5 && /[A-Z]{2}/.test(all))
}

/** True when a run has more adjacent capitals than a camelCase name. */
function mixesCase(run: string): boolean {
  const pairs = run.match(/[A-Z](?=[A-Z])/g)?.length ?? 0
  return run.length >= 24 && pairs >= 3 && (run.match(/[a-z](?=[A-Z])/g)?.length ?? 0) >= 4
}

export function looksRandomOrId(value: string): boolean {
  return looksRandom(value) || new RegExp(`(?:^|-)${uuid}$`).test(value)
}

export function looksLikePassword(value: string): boolean {
  if (!isPassword(value) || /passw|:\/\//i.test(value)) return false
  return changes(value) >= 3 && value.split(/[-_./]/).some((run) => run.length >= 10)
}

/** The number of switches between letters and digits. */
function changes(run: string): number {
  return run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
}

/** A key with the prefix `sk-` has a long run; style sheets and locales use that prefix with short words and dashes. */
export function looksLikeModelKey(value: string): boolean {
  const longest = value.split(/[_-]+/).reduce((max, run) => Math.max(max, run.length), 0)
  if (longest >= 24) return true
  if (longest >= 16 && /\d|[A-Z]/.test(value)) return true
  return value.length >= 40 && changes(value) >= 3 && /[A-Z]/.test(value)
}

const commonPasswords = new Set(
  'password passwd pass pwd pw secret postgres postgresql mysql root admin user username guest test redis mongo rabbitmq dev local localhost foo bar baz mypassword mysecretpassword'.split(
    ' ',
  ),
)

export function isPassword(value: string): boolean {
  return !commonPasswords.has(value.toLowerCase()) && !/^[$<{[%(]|^\*+$|^\.+$/.test(value)
}

/** True when the value is the base64 of `name:password`, as in Basic authentication. */
export function decodesToLogin(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('latin1')
  return /^[\x21-\x7e]{1,100}:[\x20-\x7e]{3,200}$/.test(text) && isPassword(text.slice(text.indexOf(':') + 1))
}
