// A short summary of an event of a code host. All of it is untrusted text, written by others.
import { isObject, type JsonObject } from '#core/json.ts'
import { countWords } from '#core/words.ts'

const maxCommits = 20

/** Fields that are missing or of another type are left out. */
export function summarize(event: string, payload: JsonObject): string {
  const sender = text(payload, 'sender', 'login') || 'somebody'
  const action = text(payload, 'action').replaceAll('_', ' ')
  switch (event) {
    case 'ping':
      return lines('The webhook is set up: this is its first delivery.', text(payload, 'zen'))
    case 'push':
      return push(payload, sender)
    case 'pull_request': {
      const merged = action === 'closed' && get(payload, 'pull_request', 'merged') === true
      return lines(
        `${sender} ${merged ? 'merged' : action} ${pullRequest(payload)}`,
        branches(payload),
        text(payload, 'pull_request', 'body'),
      )
    }
    case 'issues':
      return lines(`${sender} ${action} ${issue(payload)}`, text(payload, 'issue', 'body'))
    case 'issue_comment':
      return lines(`${sender} ${action} a comment on ${issue(payload)}:`, text(payload, 'comment', 'body'))
    case 'pull_request_review':
      return lines(
        `${sender} ${action} a review of ${pullRequest(payload)}: ${text(payload, 'review', 'state').replaceAll('_', ' ')}`,
        text(payload, 'review', 'body'),
      )
    case 'pull_request_review_comment':
      return lines(
        `${sender} ${action} a comment on ${text(payload, 'comment', 'path')}${lineOf(payload)} of ${pullRequest(payload)}:`,
        text(payload, 'comment', 'body'),
      )
    case 'release':
      return lines(
        `${sender} ${action} release ${text(payload, 'release', 'tag_name')} ${text(payload, 'release', 'name')}`,
        text(payload, 'release', 'body'),
      )
    case 'workflow_run':
      return workflow(payload, action)
    default:
      return lines(`${sender}: ${event.replaceAll('_', ' ')} ${action}`)
  }
}

function push(payload: JsonObject, sender: string): string {
  const ref = text(payload, 'ref').replace(/^refs\/(heads|tags)\//, '')
  if (payload['deleted'] === true) return `${sender} deleted ${ref}`
  const commits = Array.isArray(payload['commits']) ? payload['commits'] : []
  const verb = payload['forced'] === true ? 'force-pushed' : 'pushed'
  const listed = commits.slice(0, maxCommits).map((commit) => {
    const [subject = ''] = text(commit, 'message').split('\n', 1)
    return `- ${text(commit, 'id').slice(0, 7)} ${subject} (${text(commit, 'author', 'name')})`
  })
  const more = commits.length > maxCommits ? [`- and ${commits.length - maxCommits} more`] : []
  return lines(
    `${sender} ${verb} ${countWords(commits.length, 'commit')} to ${ref}`,
    ...listed,
    ...more,
    text(payload, 'compare'),
  )
}

function workflow(payload: JsonObject, action: string): string {
  const run = get(payload, 'workflow_run')
  const outcome = text(run, 'conclusion')
  return lines(
    `Workflow ${text(run, 'name')} ${action}${outcome ? ` with ${outcome}` : ''} on ${text(run, 'head_branch')}`,
    text(run, 'display_title'),
    text(run, 'html_url'),
  )
}

function pullRequest(payload: JsonObject): string {
  return `pull request #${count(payload, 'pull_request', 'number')}: ${text(payload, 'pull_request', 'title')}`
}

/** Comments on pull requests arrive as comments on an issue. */
function issue(payload: JsonObject): string {
  const kind = isObject(get(payload, 'issue', 'pull_request')) ? 'pull request' : 'issue'
  return `${kind} #${count(payload, 'issue', 'number')}: ${text(payload, 'issue', 'title')}`
}

function branches(payload: JsonObject): string {
  const [from, to] = [text(payload, 'pull_request', 'head', 'ref'), text(payload, 'pull_request', 'base', 'ref')]
  return from && to ? `${from} -> ${to}` : ''
}

function lineOf(payload: JsonObject): string {
  const line = count(payload, 'comment', 'line')
  return line === '' ? '' : ` line ${line}`
}

function get(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, key) => (isObject(each) && Object.hasOwn(each, key) ? each[key] : undefined),
    value,
  )
}

function text(value: unknown, ...path: readonly string[]): string {
  const found = get(value, ...path)
  return typeof found === 'string' ? found : ''
}

function count(value: unknown, ...path: readonly string[]): string {
  const found = get(value, ...path)
  return typeof found === 'number' ? String(found) : ''
}

function lines(...all: readonly string[]): string {
  return all
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}
