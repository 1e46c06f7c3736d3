// The question that a request to another host asks, the same for a page and for any other request.
import type { Question } from '#core/question.ts'

/** What a request to a repository does, by the end of its address. */
const gitHubActs: ReadonlyMap<string, string> = new Map([
  ['issues', 'Open an issue'],
  ['pulls', 'Open a pull request'],
  ['releases', 'Publish a release'],
])

export function requestQuestion(method: string, url: string): Question {
  const host = URL.parse(url)?.host ?? url
  const pending = 'Nothing has been sent yet.'
  const rest = { sentence: `Sends this request to ${host}. ${pending}`, host, pending }
  const [, repository = '', what = ''] =
    (method === 'POST' && /^https:\/\/api\.github\.com\/repos\/([\w.-]+\/[\w.-]+)\/(\w+)$/.exec(url)) || []
  const act = gitHubActs.get(what)
  if (act !== undefined) return { text: `${act} in ${repository} on GitHub?`, brief: `${act} on GitHub`, ...rest }
  if (method === 'GET' || method === 'HEAD') {
    return { text: `Open a page of ${host}?`, brief: `Open a page of ${host}`, ...rest }
  }
  return { text: `Send a ${method} request to ${host}?`, brief: `Send a request to ${host}`, ...rest }
}
