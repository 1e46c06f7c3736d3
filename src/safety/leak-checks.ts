// What the shape of a key cannot say: whether a value looks made by a machine, or like a password of somebody's.

/** The digits of a UUID, as a pattern. */
export const uuid = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}'

export function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

/** Letters and digits, or small letters and capitals, by turns within one run: no word, name or version is written so. */
export function looksRandom(value: string): boolean {
  const runs = value.split(/[^A-Za-z0-9]+/)
  if (runs.some((run) => run.length >= 16 && (changes(run) >= 3 || mixesCase(run)))) return true
  const all = runs.join('')
  return all.length >= 32 && changes(all) >= 6 && /[a-z]/.test(all) && /[A-Z]/.test(all)
}

/** More capitals side by side than a name in camel case has. */
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

function changes(run: string): number {
  return run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
}

/** Keys of this prefix are a long run; style sheets and locales use it too, in words with dashes. */
export function looksLikeModelKey(value: string): boolean {
  const longest = value.split(/[_-]+/).reduce((most, run) => Math.max(most, run.length), 0)
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

/** What a browser sends: a name, a colon, a password. */
export function decodesToLogin(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('latin1')
  return /^[\x21-\x7e]{1,100}:[\x20-\x7e]{3,200}$/.test(text) && isPassword(text.slice(text.indexOf(':') + 1))
}
