// Google's streamGenerateContent as a local server: it refuses what the real one refuses.
import type { TestContext } from 'node:test'
import { type Asked, type Json, list, Refusal, type Reply, send, type Served, serveStrict } from './wire.ts'

export const googleKey = 'AIzaSyTest0123456789abcdefghijklmnopqrs'
/** What this server has sealed: a call by its name, a text by its words. */
export const signatureOf = (words: string): string => Buffer.from(`signed ${words}`).toString('base64')

const keywords = new Set(
  'type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties required propertyOrdering'.split(
    ' ',
  ),
)
const requestFields = new Set('contents systemInstruction generationConfig tools toolConfig safetySettings'.split(' '))

export function serveGoogle(t: TestContext, ...replies: Reply[]): Promise<Served> {
  return serveStrict(t, check, replies)
}

function refuse(message: string, code = 400, status = 'INVALID_ARGUMENT', details: readonly Json[] = []): never {
  throw new Refusal(code, { error: { code, message, status, details } })
}

function check({ url, headers, body }: Asked): void {
  const path = /^\/v1beta\/models\/([\w.-]+):streamGenerateContent\?alt=sse$/.exec(url)
  if (!path) refuse('Not found', 404, 'NOT_FOUND')
  const key = headers['x-goog-api-key']
  if (key === undefined) refuse('Method doesn’t allow unregistered callers', 403, 'PERMISSION_DENIED')
  if (key !== googleKey) {
    const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }
    refuse('API key not valid. Please pass a valid API key.', 400, 'INVALID_ARGUMENT', [reason])
  }
  if (path[1]?.includes('nowhere')) refuse(`models/${path[1]} is not found for API version v1beta`, 404, 'NOT_FOUND')
  for (const field of Object.keys(body)) {
    if (!requestFields.has(field)) refuse(`Invalid JSON payload received. Unknown name "${field}": Cannot find field.`)
  }
  for (const tool of list(body['tools'])) list(tool['functionDeclarations']).forEach(checkFunction)
  const config = (body['generationConfig'] ?? {}) as Json
  if (config['responseJsonSchema'] !== undefined) {
    checkSchema(config['responseJsonSchema'], 'generation_config.response_json_schema')
    if (config['responseMimeType'] !== 'application/json') refuse('response_json_schema needs application/json')
  }
  checkContents(list(body['contents']), /gemini-3/.test(path[1] ?? ''))
}

function checkFunction(declaration: Json, at: number): void {
  const where = `tools[0].function_declarations[${at}]`
  if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(String(declaration['name']))) refuse(`${where}.name: Invalid function name.`)
  const schema = declaration['parametersJsonSchema'] ?? declaration['parameters']
  if (schema === undefined) return
  if ((schema as Json)['type'] !== 'object') refuse(`${where}.parameters schema should be of type OBJECT.`)
  for (const key of ['oneOf', 'anyOf', 'allOf'])
    if (key in (schema as Json)) refuse(`${where}.parameters: ${key} at the top`)
  checkSchema(schema, `${where}.parameters`)
}

function checkSchema(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`${where}: a schema is an object`)
  const schema = value as Json
  const unknown = Object.keys(schema).find((key) => !keywords.has(key))
  if (unknown) refuse(`Invalid JSON payload received. Unknown name "${unknown}" at '${where}': Cannot find field.`)
  const { type, properties, items, anyOf, enum: values, format, required } = schema
  if (type !== undefined && typeof type !== 'string') refuse(`${where}.type: one type`)
  if (type === 'array' && items === undefined) refuse(`${where}.items: missing field.`)
  if (type === 'string' && format !== undefined && format !== 'date-time' && format !== 'enum') {
    refuse(`${where}.format: only 'enum' and 'date-time' are supported for STRING type`)
  }
  if (Array.isArray(anyOf) && Object.keys(schema).some((key) => !['anyOf', 'description', 'title'].includes(key))) {
    refuse(`${where}: when using any_of, it must be the only field set`)
  }
  if (Array.isArray(values) && values.some((each) => typeof each !== 'string' && typeof each !== 'number')) {
    refuse(`${where}.enum: only texts and numbers`)
  }
  for (const name of list(required) as unknown as string[]) {
    if (!Object.hasOwn(properties ?? {}, name)) refuse(`${where}.required[0]: property is not defined`)
  }
  for (const [name, each] of Object.entries((properties ?? {}) as Json))
    checkSchema(each, `${where}.properties[${name}]`)
  if (items !== undefined) checkSchema(items, `${where}.items`)
  for (const each of list(anyOf)) checkSchema(each, `${where}.any_of`)
}

function checkContents(contents: readonly Json[], sealed: boolean): void {
  if (contents.length === 0) refuse('contents is not specified')
  if (contents[0]?.['role'] !== 'user') refuse('Please ensure that multiturn requests start with a user role.')
  contents.forEach((content, at) => {
    const parts = list(content['parts'])
    const role = content['role']
    if (role !== 'user' && role !== 'model') refuse('Please use a valid role: user, model.')
    if (role === contents[at - 1]?.['role'])
      refuse('Please ensure that multiturn requests alternate between user and model.')
    if (parts.length === 0) refuse(`contents[${at}].parts must not be empty.`)
    for (const part of parts) checkPart(part, `contents[${at}]`)
    checkCalls(contents, at, sealed)
  })
  if (contents.at(-1)?.['role'] !== 'user') refuse('Please ensure that multiturn requests end with a user role.')
}

function checkPart(part: Json, where: string): void {
  const data = part['inlineData'] as Json | undefined
  const file = part['fileData'] as Json | undefined
  if (data && !/^image\/[a-z]+$/.test(String(data['mimeType']))) refuse(`${where}: Unsupported MIME type`)
  if (file && !/^image\/[a-z]+$/.test(String(file['mimeType']))) refuse(`${where}: Unsupported MIME type`)
  const seal = part['thoughtSignature']
  if (part['text'] === '' && seal === undefined)
    refuse(`${where}: Unable to submit request because it has an empty text`)
  const known = typeof seal === 'string' && Buffer.from(seal, 'base64').toString().startsWith('signed ')
  if (seal !== undefined && !known && seal !== 'skip_thought_signature_validator') {
    refuse(`${where}: Thought signature is not valid.`)
  }
}

/** As many responses as calls, right behind them; the first call of a step has its signature. */
function checkCalls(contents: readonly Json[], at: number, sealed: boolean): void {
  const calls = list(contents[at]?.['parts']).filter((part) => part['functionCall'])
  const next = list(contents[at + 1]?.['parts']).filter((part) => part['functionResponse'])
  const responses = list(contents[at]?.['parts']).filter((part) => part['functionResponse'])
  if (calls.length > 0 && next.length !== calls.length) {
    refuse(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  }
  const before = list(contents[at - 1]?.['parts']).filter((part) => part['functionCall'])
  if (responses.length > 0 && before.length === 0) {
    refuse('Please ensure that function response turn comes immediately after a function call turn.')
  }
  if (sealed && calls.length > 0 && calls[0]?.['thoughtSignature'] === undefined) {
    refuse('Function call is missing a thought_signature in functionCall parts.')
  }
}

export type Chunk = { readonly parts?: readonly Json[]; readonly finish?: string; readonly usage?: Json }

export const chunk = ({ parts = [], finish, usage }: Chunk): string => {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finish && { finishReason: finish }) }
  const counts = { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17, ...usage }
  return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata: counts, modelVersion: 'gemini' })}\r\n\r\n`
}

export const call = (name: string, args: Json, seal?: string): Json => ({
  functionCall: { name, args },
  ...(seal && { thoughtSignature: seal }),
})

/** Answers with chunks. */
export const saying =
  (...chunks: Chunk[]): Reply =>
  (response) =>
    send(response, chunks.map(chunk))
