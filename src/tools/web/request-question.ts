// The approval question for a request to another host, used by both web tools.
import type { Question } from '#core/question.ts'

/** The effect of a POST to a GitHub repository, by the last segment of its URL. */
const gitHubActions: ReadonlyMap<string, string> = new Map([
  ['issues', 'Open an issue'],
  ['pulls', 'Open a pull request'],
  ['releases', 'Publish a release'],
])

export function requestQuestion(method: string, url: string): Question {
  const host = URL.parse(url)?.host ?? url
  const pending = 'Nothing has been sent yet.'
  const does = `Sends this request to ${host}.`
  const rest = { sentence: `${does} ${pending}`, does, host, pending }
  const [, repository = '', segment = ''] =
    (method === 'POST' && /^https:\/\/api\.github\.com\/repos\/([\w.-]+\/[\w.-]+)\/(\w+)$/.exec(url)) || []
  const action = gitHubActions.get(segment)
  if (action !== undefined) {
    return { text: `${action} in ${repository} on GitHub?`, brief: `${action} on GitHub`, ...rest }
  }
  if (method === 'GET' || method === 'HEAD') {
    return { text: `Open a page of ${host}?`, brief: `Open a page of ${host}`, ...rest }
  }
  return { text: `Send a ${method} request to ${host}?`, brief: `Send a request to ${host}`, ...rest }
}
