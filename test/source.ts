// Reads a source file as far as the structure tests need: its imports, and its code without texts and comments.

export type Source = {
  /** What the file imports, in any of the forms; type imports count. */
  readonly imports: readonly string[]
  /** True when an `import()` names its file by an expression, which nobody can check. */
  readonly computed: boolean
  /** The code with every comment left out and every text and regular expression emptied. */
  readonly code: string
  /** True when the file states nothing of its own but hands on what others define. */
  readonly barrel: boolean
}

export function readSource(text: string): Source {
  const { marked, texts } = blank(text)
  const imports: string[] = []
  for (const pattern of [statement, dynamic]) {
    for (const match of marked.matchAll(pattern)) imports.push(texts[Number(match[1])] ?? '')
  }
  const rest = marked.replace(statement, '').replace(/^export\s+(type\s+)?\{[^}]*\}/gm, '')
  return {
    imports,
    computed: [...marked.matchAll(/\bimport\s*\(/g)].length > [...marked.matchAll(dynamic)].length,
    code: marked.replace(/"\d*"/g, '""'),
    barrel: /^export\b/m.test(marked) && /^[\s;]*$/.test(rest),
  }
}

// A blanked source holds each text as "n", the number by which it is found again.
const clause = String.raw`(?:type\s+)?(?:[\w$]+|\*(?:\s*as\s+[\w$]+)?|\{[^{}]*\})`
const attributes = String.raw`(?:\s*with\s*\{[^{}]*\})?`
const statement = new RegExp(
  String.raw`^(?:import|export)\s*(?:${clause}(?:\s*,\s*${clause})?\s*from\s*)?"(\d+)"${attributes}`,
  'gm',
)
const dynamic = /\bimport\s*\(\s*"(\d+)"/g

type Blanked = { readonly marked: string; readonly texts: readonly string[] }

/** Comments out, texts to numbers, regular expressions and the fixed parts of templates to nothing. */
function blank(text: string): Blanked {
  const texts: string[] = []
  let marked = ''
  let at = 0
  /** For each open template the depth of braces inside its `${…}`. */
  const templates: number[] = []
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const takeTemplate = () => {
    const part = take(/(?:[^\\`$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y)
    if (part?.endsWith('{')) templates.push(0)
    marked += part?.endsWith('{') ? '(' : '``'
  }
  while (at < text.length) {
    if (take(/\/\/[^\n]*|\/\*[^]*?\*\//y) !== undefined) continue
    const quoted = take(/'(?:[^\\'\n]|\\[^])*'|"(?:[^\\"\n]|\\[^])*"/y)
    if (quoted !== undefined) {
      marked += `"${texts.length}"`
      texts.push(quoted.slice(1, -1))
    } else if (
      startsRegex(text, at, marked) &&
      take(/\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y) !== undefined
    ) {
      marked += '/./'
    } else if (take(/`/y) !== undefined) {
      takeTemplate()
    } else if (text[at] === '}' && templates.at(-1) === 0) {
      at += 1
      templates.pop()
      marked += ')'
      takeTemplate()
    } else {
      const last = templates.length - 1
      if (text[at] === '{' && last >= 0) templates[last] = (templates[last] ?? 0) + 1
      if (text[at] === '}' && last >= 0) templates[last] = (templates[last] ?? 0) - 1
      marked += text[at]
      at += 1
    }
  }
  return { marked, texts }
}

/** A slash divides after a value and opens a regular expression anywhere else. */
function startsRegex(text: string, at: number, before: string): boolean {
  if (text[at] !== '/') return false
  const word = /(?:^|[^\w$.])(return|typeof|case|in|of|do|else|void|delete|yield|await)\s*$/
  return word.test(before.slice(-20)) || !/[\w$)\]}"`]\s*$/.test(before.slice(-200))
}
