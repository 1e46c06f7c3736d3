// The `web_fetch` tool: fetches a page and returns it as text that a model can read.
import { AppError } from '#core/errors.ts'
import { reachInParams, type Tool } from '#core/tool.ts'
import type { Fetch, Fetched, Refusal } from '#net/fetch.ts'
import { readParams, schemaOf } from '#core/tool-params.ts'
import type { UserId } from '#core/ids.ts'
import type { LeakScan } from '#safety/leaks.ts'
import type { RunJob } from '#tools/worker.ts'
import { pageOfPdf } from './pdf.ts'
import { type Answer, checkOutgoing, refused, typeOf } from './answer.ts'
import { decodeText } from './decode.ts'
import type { Page } from './page.ts'
import { requestQuestion } from './request-question.ts'

const defaultChars = 30_000
const maxChars = 150_000
/** An error page is cut to this many characters. */
const maxErrorChars = 1_000
const accept = 'text/html,application/xhtml+xml,text/plain,application/json,application/pdf;q=0.9,*/*;q=0.5'
const agent = 'Mozilla/5.0 (compatible; Atrium/1.0)'

const parameters = schemaOf(
  {
    url: { type: 'string', minLength: 1, description: 'The address, https or http.' },
    max_chars: {
      type: 'integer',
      minimum: 1,
      maximum: maxChars,
      description: `How much of the text is wanted; ${defaultChars} characters without it.`,
    },
  },
  ['url'],
)

type Params = { readonly url: string; readonly max_chars?: number }

export type WebFetchParts = {
  readonly fetch: Fetch
  readonly refusal: Refusal
  readonly runJob: RunJob
  readonly scan: (user: UserId) => LeakScan
}

export function createWebFetch({ fetch, refusal, runJob, scan }: WebFetchParts): Tool {
  return {
    spec: {
      name: 'web_fetch',
      description:
        'Fetches a page of the web and returns its title, its final address and its readable text. Takes HTML, plain text, JSON and PDF. Scripts of a page are not run.',
      parameters,
    },
    effects: 'read',
    policy: 'fetch',
    about: {
      brief: 'Reads a web page as text',
      may: ['Read a public web page or PDF as text'],
      cannot: ['Reach a private address, unless the operator lists it', 'Send data'],
    },
    reach: reachInParams,
    repeatable: true,
    untrusted: true,
    async ask(args, { user }) {
      const { url } = readParams(parameters, args) as Params
      await checkOutgoing([url], scan(user))
      const why = refusal(url)
      if (why !== undefined) throw notFetched(url, why)
      return { question: requestQuestion('GET', url), preview: { type: 'request', method: 'GET', url } }
    },
    async run(args, { user, signal, markUntrusted, reportUse }) {
      const { url, max_chars: chars = defaultChars } = readParams(parameters, args) as Params
      await checkOutgoing([url], scan(user))
      const headers = new Map([
        ['accept', accept],
        ['user-agent', agent],
      ])
      const request = { method: 'GET', url, headers }
      const answer = answered(await fetch(request, signal, (sent) => reportUse?.({ sent: [sent] })), url)
      markUntrusted?.(answer.url)
      const { title, text } = await readable(answer, runJob, signal)
      if (answer.status >= 400) {
        throw refused(
          `${answer.url} answered ${answer.status}${text === '' ? '' : `: ${text.slice(0, maxErrorChars)}`}`,
        )
      }
      const head = [...(title === '' ? [] : [`Title: ${title}`]), `Address: ${answer.url}`]
      return `${head.join('\n')}\n\n${cut(text === '' ? '(The answer is empty.)' : text, chars)}`
    },
  }
}

function answered(fetched: Fetched, url: string): Answer {
  if (fetched.type === 'answer') return fetched
  throw notFetched(url, fetched.message)
}

function notFetched(url: string, why: string): AppError {
  return refused(`${url.slice(0, 500)} was not fetched: ${why}`)
}

/** The text of an answer by its media type. The type may be wrong, so the bytes are checked too. */
async function readable(answer: Answer, runJob: RunJob, signal: AbortSignal): Promise<Page> {
  const { body, url } = answer
  const type = typeOf(answer)
  if (type === 'application/pdf' || body.subarray(0, 5).toString('latin1') === '%PDF-') {
    // A copy, since a small buffer shares its memory with others.
    const read = async () => pageOfPdf(await runJob({ type: 'pdf', bytes: new Uint8Array(body) }, signal))
    return await reading('PDF', url, read)
  }
  const text = decodeText(body, answer.headers.get('content-type') ?? '')
  if (text === undefined) {
    throw refused(`${url} is ${type || 'of no stated type'}, ${body.length} bytes: not text that can be read`)
  }
  const isHtml = /html/.test(type) || (type === '' && /^\s*<(?:!doctype html|html)/i.test(text))
  if (!isHtml || text.trim() === '') return { title: '', text: text.trim() }
  return await reading('page', url, () => runJob({ type: 'page', html: text, url }, signal))
}

async function reading(what: string, url: string, read: () => Promise<Page>): Promise<Page> {
  try {
    return await read()
  } catch (error) {
    const why = error instanceof AppError ? error.message : String(error)
    throw refused(`the ${what} at ${url} could not be read: ${why}`, error)
  }
}

function cut(text: string, chars: number): string {
  if (text.length <= chars) return text
  const more = text.length - chars
  const hint = chars < maxChars ? `; max_chars may be up to ${maxChars}` : ''
  return `${text.slice(0, chars).toWellFormed()}\n[cut: ${more} more characters${hint}]`
}
