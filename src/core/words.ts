// Formats costs, durations, sizes and counts for the command line, the terminal, messages and the browser app. The browser
// app loads this file, so it imports nothing.

/** A cost that stands alone: `$0.021` under a dollar, `$12.40` above, `free`, `cost unknown`. */
export function costWords(usd: number | null): string {
  return usd === null ? 'cost unknown' : costFigure(usd)
}

/** A cost beside the word "cost", such as the heading of its column: `unknown` for one that nobody knows. */
export function costFigure(usd: number | null): string {
  if (usd === null) return 'unknown'
  if (usd === 0) return 'free'
  if (usd < 0.001) return 'under $0.001'
  return usd < 1 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(2)}`
}

/** An amount with cents, such as a limit; below one cent with two significant digits: `$0.00`, `$0.50`, `$0.0042`. */
export function amountWords(usd: number): string {
  if (usd > 0 && usd < 0.000_001) return 'under $0.000001'
  return `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}`
}

type MissionFacts = {
  /** Without line ends: nothing in it may look like a line of ours. */
  readonly title?: string | undefined
  readonly status?: string | undefined
  /** In words; absent where it stands elsewhere. */
  readonly schedule?: string | undefined
  readonly tools?: readonly string[] | undefined
  readonly capUsd?: number | undefined
}

/** What is said of a mission above its prompt, a line each. */
export function missionLines({ title, status, schedule, tools, capUsd }: MissionFacts): string[] {
  return [
    ...(title === undefined ? [] : [`Title: ${title}`]),
    ...(status === undefined ? [] : [`Status: ${status}`]),
    ...(schedule === undefined ? [] : [`When: ${schedule}`]),
    `Tools: ${tools ? tools.join(', ') || 'none' : 'all'}`,
    ...(capUsd === undefined ? [] : [`Cost: at most ${amountWords(capUsd)} a run`]),
  ]
}

/**
 * A sum of costs that stands alone: `$0.84`, or `at least $0.84` when the price of some calls is unknown, `cost unknown` when
 * no price is known. Zero is `$0.00`, not `free`.
 */
export function sumWords(usd: number | null, unpricedCalls: number): string {
  return isUnknownSum(usd, unpricedCalls) ? 'cost unknown' : sumFigure(usd, unpricedCalls)
}

/** A sum of costs beside the word "cost". */
export function sumFigure(usd: number | null, unpricedCalls: number): string {
  if (usd === null || isUnknownSum(usd, unpricedCalls)) return 'unknown'
  const known = usd > 0 && usd < 0.01 ? costFigure(usd) : `$${usd.toFixed(2)}`
  return unpricedCalls > 0 ? `at least ${known}` : known
}

/** Also true where the known part is next to nothing: "at least under $0.001" would tell nothing. */
export function isUnknownSum(usd: number | null, unpricedCalls: number): boolean {
  return usd === null || (unpricedCalls > 0 && usd < 0.001)
}

/** `2 ms`, `0.3 s`, `14 s`, `2 min 08 s`. */
export function durationWords(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : secondsWords(Math.round(ms / 1000))
}

/** Elapsed time in whole seconds: `0 s`, `14 s`, `2 min 08 s`. */
export function elapsedWords(ms: number): string {
  return secondsWords(Math.max(0, Math.floor(ms / 1000)))
}

function secondsWords(secs: number): string {
  return secs < 60 ? `${secs} s` : `${Math.floor(secs / 60)} min ${String(secs % 60).padStart(2, '0')} s`
}

/** How many tools of a server the model is offered. */
export function countOn(tools: readonly { readonly status: string }[]): number {
  return tools.filter(({ status }) => status === 'on').length
}

/** How many tools of a server the agent has, and of how many, if some are off, changed or refused: `14 of 15 tools`. */
export function offeredWords(on: number, all: number): string {
  return on === all ? countWords(all, 'tool') : `${on} of ${countWords(all, 'tool')}`
}

/** A long duration in its two largest units: `12 s`, `3 h 5 min`, `2 d 0 h`. */
export function spanWords(secs: number): string {
  const parts = [
    [Math.floor(secs / 86_400), 'd'],
    [Math.floor(secs / 3600) % 24, 'h'],
    [Math.floor(secs / 60) % 60, 'min'],
    [Math.floor(secs) % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

/** A user's storage: `3.2 MB of 2.0 GB`, or `3.2 MB` without a quota. */
export function storedWords(bytes: number, maxBytes: number | null): string {
  return maxBytes === null ? sizeWords(bytes) : `${sizeWords(bytes)} of ${sizeWords(maxBytes)}`
}

/** `618 bytes`, `2.1 KB`, `37 KB`, `3.2 MB`, `1.5 GB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return countWords(bytes, 'byte')
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10 * 1024 ? 1 : 0)} KB`
  if (bytes < 1024 ** 3) return `${(bytes / 1024 / 1024).toFixed(1)} MB`
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`
}

/** `12,406`: counts that are shown. Bounds in refusals are plain digits, as a caller writes them. */
export function numberWords(value: number): string {
  return value.toLocaleString('en-US')
}

/** `1 tool`, `3 tools`. */
export function countWords(count: number, one: string): string {
  return `${numberWords(count)} ${count === 1 ? one : `${one}s`}`
}

/** `a, b or c`. */
export function listWords(words: readonly string[], link: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${link} ${words.at(-1)}`
}

/** `10000 characters`: a bound in a refusal, in plain digits. */
export function boundWords(bound: number, one: string): string {
  return `${bound} ${bound === 1 ? one : `${one}s`}`
}

/** How much of a document was read: `4 pages`, `12 pages, 4 read`. */
export function pagesWords({ all, read }: { all: number; read: number }): string {
  return countWords(all, 'page') + (read < all ? `, ${numberWords(read)} read` : '')
}

/** How far a call is: `30 %, copying files`. Without a total the tool's own words, or its number. */
export function progressWords(report: { progress: number; total?: number; message?: string }): string {
  const { progress, total, message = '' } = report
  const part = total !== undefined && total > 0 ? progress / total : undefined
  const words = message.replaceAll(/\s+/g, ' ').trim()
  if (part === undefined) return words === '' ? numberWords(progress) : words
  const percent = `${Math.round(Math.min(Math.max(part, 0), 1) * 100)} %`
  return words === '' ? percent : `${percent}, ${words}`
}

/** A message of the service as a sentence: a capital first, a full stop last. */
export function sentence(message: string): string {
  const text = message.trim()
  // A first word with dots or underscores is the name of a host, a tool or a field: no capital.
  const words = /^[a-z]+([ ,]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
  return /[.?!]$/.test(words) ? words : `${words}.`
}

/** Streamed reasoning, and where its next piece begins. */
export type SoFar = { readonly text: string; readonly end: number }

/** Adds a piece to streamed reasoning. A piece that was lost in between, or at the beginning, is shown as `…`. */
export function withPiece({ text, end }: SoFar = { text: '', end: 0 }, piece: { offset: number; text: string }): SoFar {
  const gap = piece.offset > end ? `${text === '' ? '' : ' '}… ` : ''
  const more = piece.text.slice(Math.max(0, end - piece.offset))
  return { text: text + gap + more, end: Math.max(end, piece.offset + piece.text.length) }
}

/** A model call without an answer: `no answer`, `no answer to 4 requests`. */
export function noAnswerWords(attempts = 1): string {
  return attempts > 1 ? `no answer to ${numberWords(attempts)} requests` : 'no answer'
}

/** The decision at a gate: `allowed`, `denied`; at the question of a server `answered`, `declined`. */
export function decisionWords({ decision, kind }: { decision: 'allow' | 'deny'; kind: string }): string {
  if (kind === 'input') return decision === 'allow' ? 'answered' : 'declined'
  return decision === 'allow' ? 'allowed' : 'denied'
}

/** A text of at most so many characters: a longer one is cut, and says so by its last one. */
export function cutTo(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1).toWellFormed()}…` : text
}
