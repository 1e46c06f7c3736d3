// The question of a gate, the same at every door: in the tool's own words, or in plain ones if the tool has none.
import type { Credential } from '#core/errors.ts'
import type { InputRequest } from '#core/form.ts'
import type { Gate } from '#core/item.ts'
import type { Preview, Question, Reach, Scope } from '#core/question.ts'
import { reachInParams } from '#core/tool.ts'
import { missionLines } from '#core/words.ts'
import { scopesOf } from './grant-rules.ts'
import { printable } from './printable.ts'

type AskingGate = Pick<Gate, 'kind' | 'name' | 'args' | 'taint' | 'once' | 'asks' | 'credential' | 'input'>

/** The question of a gate. */
export function questionOf({ kind, name, asks, credential, input }: Omit<AskingGate, 'args' | 'taint'>): Question {
  if (input) return inputQuestion(name, input)
  if (kind === 'credential') return signInQuestion(name, credential)
  return asks?.question ?? plainQuestion(name)
}

/** The target of a gate's call. */
export function reachOfGate({ args, asks }: Pick<Gate, 'args' | 'asks'>): Reach | undefined {
  return asks ? asks.reach : reachInParams(args)
}

/** The scopes that a gate can grant, from narrow to wide; none if the call can only be allowed once. */
export function scopesOfGate({ kind, taint, once, ...gate }: AskingGate): readonly Scope[] {
  return kind === 'approval' && !once ? scopesOf(reachOfGate(gate), taint) : []
}

/** The question for a call whose tool does not word its own. */
export function plainQuestion(name: string): Question {
  const pending = 'Nothing has happened yet.'
  return { text: `Run ${name}?`, brief: `Run ${name}`, sentence: pending, pending }
}

/** The whole preview as plain text, nothing cut. */
export function previewText(preview: Preview): string {
  switch (preview.type) {
    case 'diff':
      return preview.diff === '' ? `${preview.path} would stay as it is.` : preview.diff
    case 'request': {
      const { method, url, headers = {}, body } = preview
      const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
      return body ? `${lines.join('\n')}\n\n${body}` : lines.join('\n')
    }
    case 'command':
      return [`$ ${preview.command}`, ...commandWords(preview)].join('\n')
    case 'document':
      return 'diff' in preview ? preview.diff : preview.content
    case 'mission': {
      const title = preview.title === undefined ? undefined : printable(preview.title)
      return [...missionLines({ ...preview, title }), 'What to do:', '', preview.prompt].join('\n')
    }
    case 'arguments':
      return JSON.stringify(preview.fields, undefined, 2)
    default:
      return preview satisfies never
  }
}

function commandWords({ cwd, timeoutSecs: secs }: Preview & { type: 'command' }): string[] {
  const words = [cwd && `in ${cwd}`, secs !== undefined && `for at most ${secs} seconds`].filter(Boolean)
  return words.length > 0 ? [`(${words.join(', ')})`] : []
}

/** Says which secret a call needs, and whether it is missing or was refused. */
export function needsWords(name: string, credential: Credential | undefined): string {
  const lacks = credential?.refused ? 'was refused' : 'is not set'
  return `${name} needs ${credential?.secret ?? 'a secret'}, which ${lacks}.`
}

function signInQuestion(name: string, credential: Credential | undefined): Question {
  const title = credential?.title ?? credential?.tool ?? name
  const does = needsWords(name, credential)
  return {
    text: `Sign in to ${title}?`,
    brief: `Sign in to ${title}`,
    sentence: `${does} Nothing has happened yet; the turn goes on once you have signed in.`,
    does,
    pending: '',
  }
}

/** The words of the server itself are shown beside it: they come from outside. */
function inputQuestion(name: string, input: InputRequest): Question {
  const { server } = input
  if (input.type === 'form') {
    const does = `${name} waits for what you enter. It goes to ${server}; the agent gets what ${server} makes of it.`
    return { text: `Answer ${server}?`, brief: `Answer ${server}`, sentence: does, does, pending: '' }
  }
  const { host } = new URL(input.url)
  const does = `${server} asks you to open a page at ${host}. ${name} goes on once you say that you are done.`
  return { text: `Sign in at ${host}?`, brief: `Sign in at ${host}`, sentence: does, does, host, pending: '' }
}
