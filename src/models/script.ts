// The file format of a scripted model, and its parser. A fault is reported with its path in the file.
import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { isObject } from '#core/json.ts'

const errorCodes = [
  'model_unknown',
  'model_key_missing',
  'model_unreachable',
  'model_unauthorized',
  'model_rate_limited',
  'model_refused',
  'model_filtered',
  'model_failed',
  'model_timeout',
] as const satisfies readonly ErrorCode[]
const text = z.string({ error: 'must be a string' })
const amount = z.number({ error: 'must be a number from 0' }).check(z.minimum(0, { error: 'must be a number from 0' }))
const times = { error: 'must be a whole number from 1' }
const object = { error: 'must be an object' }

const Call = z.strictObject(
  {
    name: text,
    /** A string is sent as it is, to imitate a model that writes invalid JSON. */
    args: z._default(
      z.union([text, z.record(z.string(), z.unknown())], { error: 'must be an object or a string' }),
      () => ({}),
    ),
  },
  object,
)
/** One reply of the model. All fields are optional; an empty reply is an empty answer. */
const Reply = z.strictObject(
  {
    /** Only for a user message that contains this text. Without `afterTool`, only before any tool result. */
    when: z.optional(text),
    /** Only when the latest input is a result of this tool. */
    afterTool: z.optional(text),
    /** A string is streamed word by word, a list item by item. `{{input}}` and `{{result}}` are filled in. */
    text: z.optional(z.union([text, z.array(text)])),
    reasoning: z.optional(text),
    calls: z.optional(z.array(Call, { error: 'must be a list' })),
    delayMs: z.optional(amount),
    chunkDelayMs: z.optional(amount),
    /** Ends the reply with this error. It does not count as a response, so the same reply comes next. */
    error: z.optional(
      z.strictObject(
        {
          code: z.enum(errorCodes, { error: `must be one of ${errorCodes.join(', ')}` }),
          message: z.optional(text),
          afterChunks: z.optional(amount),
        },
        object,
      ),
    ),
    usage: z.optional(
      z.strictObject(
        {
          inputTokens: z.optional(amount),
          cachedTokens: z.optional(amount),
          outputTokens: z.optional(amount),
          reasoningTokens: z.optional(amount),
          costUsd: z.optional(amount),
        },
        object,
      ),
    ),
    /** How often it is used. Default: once, or without limit for a reply with a condition. */
    times: z.optional(z.int(times).check(z.minimum(1, times))),
  },
  object,
)
const Script = z.strictObject(
  {
    replies: z.array(Reply, { error: ({ input }) => (input === undefined ? 'is missing' : 'must be a list') }),
    loop: z.optional(z.boolean({ error: 'must be true or false' })),
  },
  object,
)

export type Reply = z.output<typeof Reply>
export type Script = { readonly replies: readonly Reply[]; readonly loop?: boolean | undefined }

/** Reads the file of LLM_SCRIPT. Throws invalid_config. */
export async function readScript(file: string): Promise<Script> {
  let source: string
  try {
    source = await readFile(file, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw scriptFault(`names ${file}, which cannot be read (${why})`, error)
  }
  return parseScript(source)
}

/** Parses a script: an object with `replies`, or a bare list of replies or texts. Throws invalid_config. */
export function parseScript(source: string): Script {
  let input: unknown
  try {
    input = JSON.parse(source)
  } catch (error) {
    throw scriptFault(`is not JSON: ${error instanceof Error ? error.message : ''}`, error)
  }
  const { data, error } = z.safeParse(Script, withObjects(Array.isArray(input) ? { replies: input } : input))
  if (data) return data
  throw scriptFault(`is no script: ${describeFault(error.issues)}`)
}

function scriptFault(fault: string, cause?: unknown): AppError {
  return new AppError('invalid_config', `LLM_SCRIPT ${fault}. Example: LLM_SCRIPT=replies.json`, { cause })
}

/** The script with each bare text as a reply object. */
function withObjects(script: unknown): unknown {
  if (!isObject(script) || !Array.isArray(script['replies'])) return script
  const replies = script['replies'].map((reply: unknown) => (typeof reply === 'string' ? { text: reply } : reply))
  return { ...script, replies }
}

/** The first fault with its path. In a union, the fault of the variant that matched deepest. */
function describeFault([issue]: readonly z.core.$ZodIssue[], before: readonly PropertyKey[] = []): string {
  if (!issue) return 'the file is not a script'
  const path = [...before, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return `${pathOf([...path, issue.keys[0] ?? ''])} is not a field of a script`
  }
  const further =
    issue.code === 'invalid_union' ? issue.errors.find(([inner]) => inner && inner.path.length > 0) : undefined
  return further ? describeFault(further, path) : `${pathOf(path)} ${issue.message}`
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  return text === '' ? 'the file' : text.replace(/^\./, '')
}
