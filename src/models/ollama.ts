// Whether an Ollama runs on this machine, for a hint to whoever has no model.
import { request } from '#lib/http.ts'

const address = 'http://127.0.0.1:11434/api/version'
const patienceMs = 300

export function ollamaAnswers(url = address): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(url, { signal: AbortSignal.timeout(patienceMs) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on('error', () => resolve(false)).end()
  })
}
