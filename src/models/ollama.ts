// Detects an Ollama on this machine and its models, for users without a model.
import { connect } from 'node:net'
import { isObject } from '#core/json.ts'
import { request } from '#lib/http.ts'

const host = '127.0.0.1'
const port = 11_434
const timeoutMs = 300
const maxListBytes = 1_000_000
const maxModels = 100

/** Every start asks this, so it makes no HTTP request where nothing listens. */
export async function ollamaAnswers(): Promise<boolean> {
  return (await isListening()) && (await isAnswered())
}

function isListening(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal: AbortSignal.timeout(timeoutMs) })
    const end = (listens: boolean): void => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

function isAnswered(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host, port, path: '/api/version', signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    probe.on('error', () => resolve(false)).end()
  })
}

const listAddress = `http://${host}:${port}/api/tags`

/** The names of the models that an Ollama on this machine has; undefined when none answers. */
export async function ollamaModels(url = listAddress, withinMs = timeoutMs): Promise<readonly string[] | undefined> {
  try {
    const list: unknown = JSON.parse(await readText(url, withinMs))
    const models = isObject(list) && Array.isArray(list['models']) ? (list['models'] as unknown[]) : []
    return models
      .flatMap((each) => (isObject(each) && typeof each['name'] === 'string' ? [each['name']] : []))
      .slice(0, maxModels)
  } catch {
    return undefined
  }
}

function readText(url: string, withinMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const probe = request(url, { signal: AbortSignal.timeout(withinMs) }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxListBytes) response.destroy(new Error('the list is too long'))
      })
      response.on('error', reject)
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error('no list'))))
    })
    probe.on('error', reject).end()
  })
}
