// The parser of models' answers is WebAssembly. V8 would optimise it within two turns, with 0.16 s of CPU and 5 MB; so it
// waits for some hundred turns.
import { setFlagsFromString } from 'node:v8'
import type { Agent } from 'undici'

/** How much of a function V8 runs before it optimises it: its own default, and that of the parser. */
const defaultBudget = 13_000_000
const parserBudget = 2_000_000_000

let isCompiled = false

/**
 * Call before the first connection, which compiles the parser. The budget is set only until then, and not by the launcher:
 * with another one V8 rejects the compile cache, and also the code that Node has for its own files.
 */
export function optimiseParserLate(agent: Pick<Agent, 'once'>): void {
  if (isCompiled) return
  setBudget(parserBudget)
  agent.once('connect', () => {
    isCompiled = true
    setBudget(defaultBudget)
  })
}

function setBudget(budget: number): void {
  setFlagsFromString(`--wasm-tiering-budget=${budget}`)
}
