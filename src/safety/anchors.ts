// Finds many words in one pass over a text (Aho-Corasick), with the automaton in one flat table: a few bytes for each
// letter of the words, and two lookups a character.

export interface Anchors {
  /** Visits each position where a word may start, in the order of the words' ends. `word` is the index of the word. */
  each(text: string, visit: Visit): void
  /** The same in slices, so that the caller can yield to the event loop between them. */
  eachInSlices(text: string, visit: Visit): Generator<void>
}

/** Less than 1 ms of work without words. */
const sliceChars = 64 * 1024

/**
 * Builds the automaton. Empty words are never found. Characters beyond ASCII are told apart by their low bits alone, so a
 * match may be false: the visitor must check the text.
 */
export function createAnchors(words: readonly string[], { ignoreCase = false } = {}): Anchors {
  const alphabet = alphabetOf(words, ignoreCase)
  const { columnOf, columns } = alphabet
  const { next, found } = build(words, alphabet)
  const lengths = words.map((word) => word.length)
  const walk = (text: string, visit: Visit, { from, to, state: before }: Walk): number => {
    let state = before
    for (let at = from; at < to; at++) {
      const entry = next[state + (columnOf[byteOf(text.charCodeAt(at))] as number)] as number
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

/** The columns of the table: one for each character of the words, and column 0 for all others. */
type Alphabet = { readonly columnOf: Uint16Array; readonly columns: number }

function alphabetOf(words: readonly string[], ignoreCase: boolean): Alphabet {
  const columnOf = new Uint16Array(256)
  let columns = 1
  for (const letter of new Set(words.join('').split(''))) {
    const byte = byteOf(letter.charCodeAt(0))
    if (columnOf[byte] !== 0) continue
    columnOf[byte] = columns
    if (ignoreCase && isLetter(byte)) columnOf[byte ^ 32] = columns
    columns++
  }
  return { columnOf, columns: columns + (columns % 2) }
}

function byteOf(code: number): number {
  return code < 128 ? code : 128 | (code & 127)
}

function isLetter(byte: number): boolean {
  const lower = byte | 32
  return lower >= 97 && lower <= 122
}

type Node = { readonly edges: Map<number, number>; readonly words: number[] }

function build(words: readonly string[], { columnOf, columns }: Alphabet) {
  const nodes: Node[] = [{ edges: new Map(), words: [] }]
  words.forEach((word, index) => {
    let node = 0
    for (let at = 0; at < word.length; at++) {
      const column = columnOf[byteOf(word.charCodeAt(at))] as number
      const known = nodes[node]?.edges.get(column)
      if (known === undefined) {
        nodes[node]?.edges.set(column, nodes.length)
        node = nodes.push({ edges: new Map(), words: [] }) - 1
      } else node = known
    }
    if (node > 0) nodes[node]?.words.push(index)
  })
  return { next: tableOf(nodes, columns), found: nodes.map((node) => node.words) }
}

/**
 * Breadth first from the root: each row starts as a copy of its fallback's row, then its own edges overwrite it. A node's
 * fallback is nearer to the root, so whether a word ends at a node is known when an edge leads to it.
 */
function tableOf(nodes: readonly Node[], columns: number): Int32Array {
  const table = new Int32Array(nodes.length * columns)
  const fallback = new Int32Array(nodes.length)
  const ends = Uint8Array.from(nodes, ({ words }) => (words.length > 0 ? 1 : 0))
  const queue = [0]
  const addEdge = (child: number, column: number, at: number): void => {
    const back = at === 0 ? 0 : Math.floor((table[at * columns + column] as number) / columns)
    fallback[child] = back
    ends[child] = (ends[child] as number) | (ends[back] as number)
    table[at * columns + column] = child * columns + ends[child]
    queue.push(child)
  }
  const addNode = (at: number): void => {
    const node = nodes[at] as Node
    const under = fallback[at] as number
    if (at > 0) {
      table.copyWithin(at * columns, under * columns, (under + 1) * columns)
      node.words.push(...(nodes[under] as Node).words)
    }
    node.edges.forEach((child, column) => addEdge(child, column, at))
  }
  for (const at of queue) addNode(at)
  return table
}
