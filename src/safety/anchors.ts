// Finds many words in one pass over a text (Aho-Corasick), with the automaton in one flat table: one lookup a character.

/** Characters beyond ASCII share columns by their low bits, so a match may be false: the visitor must check the text. */
const columns = 256

export interface Anchors {
  /** Visits each position where a word may start, in the order of the words' ends. `word` is the index of the word. */
  each(text: string, visit: Visit): void
  /** The same in slices, so that the caller can yield to the event loop between them. */
  eachInSlices(text: string, visit: Visit): Generator<void>
}

/** Less than 1 ms of work without words. */
const sliceChars = 64 * 1024

/** Builds the automaton. Empty words are never found. */
export function createAnchors(words: readonly string[], { ignoreCase = false } = {}): Anchors {
  const { next, found } = build(words, ignoreCase)
  const lengths = words.map((word) => word.length)
  const walk = (text: string, visit: Visit, { from, to, state: before }: Walk): number => {
    let state = before
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      const entry = next[state + (code < 128 ? code : 128 | (code & 127))] as number
      state = entry & ~1
      // Row offsets are even; an odd entry means that a word ends here.
      if (entry !== state) for (const word of found[state / columns] ?? []) visit(word, at + 1 - (lengths[word] ?? 0))
    }
    return state
  }
  return {
    each(text, visit) {
      walk(text, visit, { from: 0, to: text.length, state: 0 })
    },
    *eachInSlices(text, visit) {
      let state = 0
      for (let from = 0; from < text.length; from += sliceChars) {
        if (from > 0) yield
        state = walk(text, visit, { from, to: Math.min(text.length, from + sliceChars), state })
      }
    },
  }
}

type Visit = (word: number, start: number) => void
type Walk = { readonly from: number; readonly to: number; readonly state: number }

type Node = { readonly edges: Map<number, number>; readonly words: number[] }

function build(words: readonly string[], ignoreCase: boolean) {
  const nodes: Node[] = [{ edges: new Map(), words: [] }]
  words.forEach((word, index) => {
    let node = 0
    for (let at = 0; at < word.length; at++) {
      const column = columnOf(word.charCodeAt(at), ignoreCase)
      const known = nodes[node]?.edges.get(column)
      if (known === undefined) {
        nodes[node]?.edges.set(column, nodes.length)
        node = nodes.push({ edges: new Map(), words: [] }) - 1
      } else node = known
    }
    if (node > 0) nodes[node]?.words.push(index)
  })
  return { next: tableOf(nodes, ignoreCase), found: nodes.map((node) => node.words) }
}

/**
 * Breadth first from the root: each row starts as a copy of its fallback's row, then its own edges overwrite it. A node's
 * fallback is nearer to the root, so whether a word ends at a node is known when an edge leads to it.
 */
function tableOf(nodes: readonly Node[], ignoreCase: boolean): Int32Array {
  const table = new Int32Array(nodes.length * columns)
  const fallback = new Int32Array(nodes.length)
  const ends = Uint8Array.from(nodes, ({ words }) => (words.length > 0 ? 1 : 0))
  const queue = [0]
  for (const at of queue) {
    const node = nodes[at] as Node
    const row = at * columns
    const under = (fallback[at] as number) * columns
    if (at > 0) {
      table.copyWithin(row, under, under + columns)
      node.words.push(...(nodes[fallback[at] as number]?.words ?? []))
    }
    for (const [column, child] of node.edges) {
      const back = at === 0 ? 0 : Math.floor((table[under + column] as number) / columns)
      fallback[child] = back
      const end = (ends[child] as number) | (ends[back] as number)
      const entry = child * columns + end
      ends[child] = end
      table[row + column] = entry
      if (ignoreCase && isLower(column)) table[row + column - 32] = entry
      queue.push(child)
    }
  }
  return table
}

function columnOf(code: number, ignoreCase: boolean): number {
  if (ignoreCase && isLower(code + 32)) return code + 32
  return code < 128 ? code : 128 | (code & 127)
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122
}
