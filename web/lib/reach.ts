// How far a tool reaches, in words: what it may do, what it cannot, and whether it asks first.
import type { Tool } from '../api/wire-tools.ts'

/** What the policy in force makes of its usual calls: looks, writes unasked, asks first, is refused; or may harm. */
export type Kind = 'reads' | 'writes' | 'asks' | 'refused' | 'danger'

export type Reach = { readonly may: readonly string[]; readonly cannot: readonly string[] }

export function kindOf({ effects, verdict }: Pick<Tool, 'effects' | 'verdict'>): Kind {
  if (verdict.clean === 'deny') return 'refused'
  if (effects === 'danger') return 'danger'
  if (verdict.clean === 'ask') return 'asks'
  return effects === 'read' ? 'reads' : 'writes'
}

const rules = {
  allow: 'Runs unasked',
  ask: 'Asks first',
  deny: 'Refused',
  known: 'Runs unasked where you or a result named the address, else asks first',
} as const

/** The policy in force: a line, or one for each kind of call. */
export function policyLines({ policy }: Pick<Tool, 'policy'>): string[] {
  return policy.flatMap(({ calls, clean, tainted }) => {
    const of = policy.length > 1 ? `${calls}. ` : ''
    if (clean === tainted) return [`${of}${rules[clean]}`]
    return [`${of}${rules[clean]}`, `${of}After reading text from outside: ${lower(rules[tainted])}`]
  })
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}

const changing = /^sends [^/]*\b(POST|PUT|PATCH|DELETE)\b/
type Group<T> = { readonly tools: readonly T[]; readonly words?: string }

/** The rows of a list: each tool for itself, or with those whose words in a list are the same. */
export function groupsOf<T extends Pick<Tool, 'name' | 'brief'>>(list: readonly T[]): Group<T>[] {
  return list.flatMap((tool): Group<T>[] => {
    const { brief } = tool
    if (brief === undefined) return [{ tools: [tool] }]
    const tools = list.filter((each) => each.brief === brief)
    return tools[0] === tool ? [{ tools, words: brief }] : []
  })
}

const sending = /^sends ([A-Z, ]+) to ([^/ ]+)(\/\S*)?(.*)$/
const signing = /^uses the secret (\S+) at (.+?), (.*)$/

/** "sends GET to example.com/v1/" below "It may": "Read from `example.com`, paths under `/v1/`". */
function asAct(line: string): string {
  const [, methods, host, path = '/', more] = sending.exec(line) ?? []
  if (methods !== undefined) {
    const act = /^(GET|HEAD|, )+$/.test(methods) ? 'Read from' : `Send ${methods} to`
    return `${act} \`${host}\`${path === '/' ? '' : `, paths under \`${path}\``}${more}`
  }
  const [, secret, hosts, place] = signing.exec(line) ?? []
  if (secret !== undefined) {
    return `Send the secret \`${secret}\` to \`${hosts}\`, ${place}. It never sees the value.`
  }
  const act = line
    .replace(/^may /, '')
    .replace(/^(do|reach)es /, '$1 ')
    .replace(/^([a-z]+)s /, '$1 ')
  return act.charAt(0).toUpperCase() + act.slice(1)
}

export function reachOf({ source, may = [], cannot = [], access = [] }: Tool): Reach {
  if (source === 'built-in') return { may, cannot }
  const sends = access.filter((line) => line.startsWith('sends '))
  const changes = sends.some((line) => changing.test(line))
  const files = access.some((line) => line.startsWith('reads the workspace'))
  const others = access.some((line) => line.startsWith('runs the tool'))
  return {
    may: access.map(asAct),
    cannot: [
      sends.length === 0
        ? 'Contact any host'
        : `Contact any other host${changes ? '' : ', or send data with POST, PUT, PATCH or DELETE'}`,
      files
        ? 'Read other files, memory, other secrets or your messages'
        : 'Read files, memory, other secrets or your messages',
      ...(others ? [] : ['Run other tools']),
      'Use more than 64 MB of memory',
    ],
  }
}
