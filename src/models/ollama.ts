// Detects an Ollama on this machine, for a hint to users without a model.
import { request } from '#lib/http.ts'

const address = 'http://127.0.0.1:11434/api/version'
const timeoutMs = 300

export function ollamaAnswers(url = address): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request(url, { signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    probe.on('error', () => resolve(false)).end()
  })
}
