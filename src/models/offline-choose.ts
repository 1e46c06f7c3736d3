// Which tool a message clearly asks for, if any. A tool that changes something is never the answer.
import type { ToolSpec } from '#core/tool.ts'
import { constantsOf } from './offline-fill.ts'
import { formOf } from './offline-find.ts'
import { isStop, meaningOf, wordsOf } from './offline-hear.ts'
import type { Heard } from './offline-hear.ts'
import { plainSchema, propertiesOf } from './offline-schema.ts'

export type Choice =
  | { readonly type: 'use'; readonly tool: ToolSpec }
  /** Several fit equally well. */
  | { readonly type: 'torn'; readonly tools: readonly ToolSpec[] }
  /** The one that fits best writes, deletes, sends, runs or buys. */
  | { readonly type: 'writes'; readonly tool: ToolSpec }
  | { readonly type: 'none' }

const NAME_WEIGHT = 3
const MENTION_WEIGHT = 10
const FORM_WEIGHT = 2
const MAX_DESCRIPTION_WEIGHT = 3
/** One word of the tool's name, or its like. */
const CLEAR_SCORE = 3
const CLEAR_MARGIN = 0.5
/** The share of a tool's own words that must be said, or of the message's that its description must know. */
const CLEAR_SHARE = 0.6

/** `time` and `calculate` are left out: their words are too common to match by; the model knows when to use them. */
export function chooseTool(tools: readonly ToolSpec[], heard: Heard): Choice {
  const said = meaningOf(heard)
  const ranked = tools
    .filter((tool) => !['time', 'calculate', 'memory_write'].includes(tool.name))
    .map((tool) => ({ tool, score: scoreOf(tool, heard, said) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  const best = ranked[0]
  if (best === undefined) return { type: 'none' }
  const rivals = ranked.filter(({ score }) => best.score - score < CLEAR_MARGIN).map(({ tool }) => tool)
  // Of tools that are called the same ("weather", "get_weather") the last wins: a caller's follow the service's own.
  const same = rivals.every((tool) => subjectOf(tool) === subjectOf(best.tool))
  const readers = rivals.filter((tool) => !isWriting(tool))
  const last = readers.at(-1)
  if (last === undefined) return { type: 'writes', tool: best.tool }
  return same || readers.length === 1 ? { type: 'use', tool: last } : { type: 'torn', tools: readers }
}

/** The tool's own words, which a message uses to name it and which are no values. */
export function topicOf(tool: ToolSpec): ReadonlySet<string> {
  const described = (tool.description.match(/(?<!\p{L})\p{Ll}+/gu) ?? []).flatMap((word) => wordsOf(word))
  return new Set([...wordsOf(tool.name), ...described.slice(0, 60), ...constantsOf(tool.parameters)])
}

/** True for a tool that by its name or description changes, sends, runs or buys something. */
function isWriting({ name, description, parameters }: ToolSpec): boolean {
  const words = wordsOf(name)
  const numeric = Object.values(propertiesOf(parameters)).every((each) =>
    /number|integer/.test(String(plainSchema(each, parameters).type)),
  )
  if (numeric && words[0] === 'add' && Object.keys(propertiesOf(parameters)).length > 1) return false
  if (words.some((word) => CHANGES.has(word))) return true
  if (!READS.has(words[0] ?? '') && words.some((word) => MAY_CHANGE.has(word))) return true
  const verbs = [...description.matchAll(/(?:^|[.;:!\n]\s*)(\p{L}+)/gu)].flatMap((match) => wordsOf(match[1] ?? ''))
  const further = [...description.matchAll(/\b(?:and|or|then|to|can|will)\s+(\p{L}+)/gu)].flatMap((match) =>
    wordsOf(match[1] ?? ''),
  )
  return verbs.some((verb) => CHANGES.has(verb) || MAY_CHANGE.has(verb)) || further.some((verb) => CHANGES.has(verb))
}

/** Always a change, wherever it stands in a name. */
const CHANGES =
  wordSet(`write create insert update edit modify save delete remove erase destroy wipe purge send email notify
  publish tweet reply execute exec shell eval deploy install uninstall buy purchase pay refund upload rename submit revoke
  invite overwrite append replace subscribe unsubscribe kill terminate reboot restart checkout withdraw`)

/** A change as a verb; after a verb of reading ("get_order", "list_posts") it is a thing. */
const MAY_CHANGE =
  wordSet(`add set put post store drop clear cancel stop start run order book reserve charge transfer move
  schedule sign approve grant trigger toggle turn switch enable disable lock unlock open close merge push commit mail message
  share control change make reset assign import record register draft fire launch command`)

const READS =
  wordSet(`get list read find search fetch show look lookup query check describe count view calculate compute
  convert compare tell retrieve return explain summarize translate define estimate current`)

/** Words that say how, not what: they add little to a match. */
const HOW = wordSet(
  'get list read find search fetch show lookup query check current retrieve tool api info data by for of',
)

function scoreOf(tool: ToolSpec, heard: Heard, said: ReadonlySet<string>): number {
  if (
    new RegExp(String.raw`(?<![\w-])${tool.name.slice(0, 64).replaceAll(/[^\w-]/g, '.')}(?![\w-])`).test(heard.text) &&
    /[_A-Z]/.test(tool.name)
  ) {
    return MENTION_WEIGHT + tool.name.length
  }
  const name = [...new Set(wordsOf(tool.name))]
  const things = name.some((word) => !HOW.has(word)) ? name.filter((word) => !HOW.has(word)) : name
  const named = things.filter((word) => said.has(word)).length
  const how = name.filter((word) => HOW.has(word) && !things.includes(word) && said.has(word)).length
  const known = new Set([...wordsOf(tool.description.slice(0, 2_000)), ...constantsOf(tool.parameters)])
  const asked = [...new Set(heard.words)].filter((word) => !isStop(word) && !/^\d/.test(word) && !isValue(word, heard))
  const described = asked.filter((word) => known.has(word) && !name.includes(word)).length
  const forms = formsOf(tool).filter(
    (form) => (form === 'url' ? heard.urls : form === 'path' ? heard.paths : heard.emails).length > 0,
  ).length
  const score = named * NAME_WEIGHT + how + Math.min(described, MAX_DESCRIPTION_WEIGHT) + forms * FORM_WEIGHT
  const share = named / things.length
  const understood =
    asked.length === 0 ? 0 : asked.filter((word) => known.has(word) || name.includes(word)).length / asked.length
  const byName =
    score >= CLEAR_SCORE &&
    ((named > 0 && share >= CLEAR_SHARE) || described + how + forms * FORM_WEIGHT >= CLEAR_SCORE)
  const verb = name.some(
    (word) => ['list', 'read', 'search', 'fetch', 'find', 'lookup'].includes(word) && said.has(word),
  )
  const byDescription = (described >= 2 && understood >= CLEAR_SHARE) || (described === 1 && verb && understood === 1)
  return byName || byDescription ? score + share : 0
}

/** A capitalised word inside a sentence is a value ("USD"), not a word that tools are described by. */
function isValue(word: string, { names }: Heard): boolean {
  return names.some(({ text, tail, after }) => after !== '' && wordsOf(`${text} ${tail ?? ''}`).includes(word))
}

function formsOf(tool: ToolSpec): string[] {
  const forms = Object.entries(propertiesOf(tool.parameters)).map(([name, schema]) =>
    formOf(name, plainSchema(schema, tool.parameters)),
  )
  return [...new Set(forms.filter((form) => form === 'url' || form === 'path' || form === 'email'))]
}

function subjectOf(tool: ToolSpec): string {
  return wordsOf(tool.name)
    .filter((word) => !HOW.has(word))
    .sort()
    .join(' ')
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}
